"""The chat in a real terminal: typed at while it answers, interrupted, narrow, in three languages."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from vibeos.testing import StrictServer, broken, call, fault, reply, stalled

if TYPE_CHECKING:
    from support.program import Program
    from support.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


READ = 1.2  # seconds after which an answer is one to the question that stands there


def said(server: StrictServer) -> list[str]:
    """What the person said, as the last request has it."""
    messages = server.requests[-1].body["messages"]
    return [str(message["content"]) for message in messages if message["role"] == "user"]


def test_a_conversation_at_the_prompt(server: StrictServer, terminal: Terminal) -> None:
    fact = {"action": "add", "target": "user", "content": "likes tea"}
    server.extend(
        [reply("Let me note that.", calls=[call("memory", fact)]), reply("Noted: **tea**."), reply("Tea.")]
    )
    terminal.chat()
    terminal.type("I like tea")
    screen = terminal.wait_for("Noted: tea.")
    assert "  · memory add user likes tea ✓ 0." in screen
    assert screen.count("Let me note that.") == 1
    assert screen.index("Let me note") < screen.index("memory add") < screen.index("Noted")
    terminal.type("What do I like?")
    terminal.wait_for("\nTea.")
    assert "Go on later with: vibeos chat --resume" in terminal.leave()
    server.assert_used_up()


def test_an_answer_is_seen_while_it_is_written_and_stands_there_once(
    server: StrictServer, terminal: Terminal
) -> None:
    answer = "# Plan\n\nFirst the **walls**.\n\n- one\n- two\n\n```python\nx = 1\n```\n\nThen the roof."
    server.extend([reply(answer, pause=0.05)])
    terminal.chat()
    terminal.type("How?")
    early = terminal.wait_for("First the walls.")
    assert "Then the roof." not in early
    terminal.wait_for("Then the roof.")
    shown = terminal.leave()
    for line in ("Plan", "First the walls.", " • one", " • two", "  x = 1", "Then the roof."):
        assert shown.split("\n").count(line) == 1, shown
    assert "```" not in shown


def test_ctrl_c_in_a_stalled_answer_ends_the_turn_and_not_the_conversation(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([stalled("It begins well and goes on and on" * 9, pause=0.5), reply("Here I am.")])
    terminal.chat()
    terminal.type("A slow question")
    terminal.wait_for("It begin")
    terminal.press("C-c")
    terminal.wait_for("interrupted; what was said so far is kept")
    terminal.type("Are you there?")
    screen = terminal.wait_for("Here I am.")
    assert screen.count("It begin") == 1
    assert said(server) == ["A slow question", "Are you there?"]
    assert "It begin" in server.requests[-1].body["messages"][-2]["content"]
    terminal.leave()


def test_ctrl_c_before_an_answer_begins_keeps_the_message(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("Too late.", delay=20), reply("Here I am.")])
    terminal.chat()
    terminal.type("A slow question")
    terminal.wait_for(lambda _: len(server.requests) == 1)
    terminal.press("C-c")
    terminal.wait_for("interrupted; what was said so far is kept")
    terminal.type("Are you there?")
    terminal.wait_for("Here I am.")
    assert said(server) == ["A slow question", "Are you there?"]
    terminal.leave()


def test_what_is_typed_during_a_turn_enters_it_at_its_next_request(
    server: StrictServer, terminal: Terminal
) -> None:
    note = call("memory", {"action": "add", "target": "memory", "content": "a fact"})
    server.extend([reply("Working.", calls=[note], delay=1), reply("Both done.")])
    terminal.chat()
    terminal.type("First task")
    terminal.wait_for(lambda _: len(server.requests) == 1)
    terminal.type("and the second one")
    terminal.wait_for("stored; it is taken at the next request")
    screen = terminal.wait_for("Both done.")
    assert "  ← and the second one" in screen
    assert said(server) == ["First task", "and the second one"]
    assert len(server.requests) == 2
    terminal.leave()


def test_what_is_typed_during_a_last_answer_gets_an_answer_of_its_own(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([reply("To the first.", delay=1), reply("To the second.")])
    terminal.chat()
    terminal.type("One")
    terminal.wait_for(lambda _: len(server.requests) == 1)
    terminal.type("Two")
    screen = terminal.wait_for("To the second.")
    assert screen.count("To the first.") == 1
    assert said(server) == ["One", "Two"]
    terminal.leave()


def test_a_half_typed_message_stays_while_an_answer_is_printed(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([reply("A first answer.", delay=0.5), reply("A second answer.")])
    terminal.chat()
    terminal.type("One")
    terminal.tmux("send-keys", "-l", "half of")
    screen = terminal.wait_for("A first answer.")
    screen = terminal.wait_for(lambda screen: screen.rstrip().endswith("> half of"))
    terminal.type(" a message")
    terminal.wait_for("A second answer.")
    assert screen.count("A first answer.") == 1
    assert said(server) == ["One", "half of a message"]
    terminal.leave()


def test_several_lines_are_one_message_typed_or_pasted(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("Read."), reply("Read too."), reply("Read this too.")])
    terminal.chat()
    terminal.paste("one\n  two\nthree")
    terminal.press("M-Enter")
    terminal.type("four \\")
    terminal.type("five")
    terminal.wait_for("\nRead.")
    assert said(server) == ["one\n  two\nthree\nfour \nfive"]
    terminal.type("/etc/hosts is wrong")
    terminal.wait_for("\nRead too.")
    assert said(server)[-1] == "/etc/hosts is wrong"
    terminal.type("/tmp is full")
    terminal.wait_for("\nRead this too.")
    assert said(server)[-1] == "/tmp is full"
    terminal.leave()


def test_what_was_typed_in_earlier_conversations_is_the_history(
    server: StrictServer, terminal: Terminal, program: Program
) -> None:
    server.extend([reply("Yes."), reply("Yes again.")])
    program.run("chat", "-q", "Something said before")
    terminal.chat()
    terminal.press("Up")
    terminal.wait_for("> Something said before")
    terminal.type(", and more")
    terminal.wait_for("Yes again.")
    assert said(server) == ["Something said before, and more"]
    terminal.leave()


def test_commands_change_the_conversation(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("Blue noted."), reply("Who knows."), reply("It was blue.")])
    terminal.chat()
    terminal.type("My colour is blue")
    terminal.wait_for("Blue noted.")
    terminal.type("/new")
    terminal.wait_for(lambda screen: screen.count("session 20") == 2)
    terminal.type("Which colour?")
    terminal.wait_for("Who knows.")
    assert said(server) == ["Which colour?"]
    terminal.type("/sessions")
    screen = terminal.wait_for("/sessions N goes on")
    assert " 1* 20" in screen
    assert "My colour is blue" in screen[screen.index(" 2  20") :]
    terminal.type("/sessions 2")
    terminal.wait_for("#2 assistant: Blue noted.")
    terminal.type("And now?")
    terminal.wait_for("It was blue.")
    assert said(server) == ["My colour is blue", "And now?"]
    terminal.leave()


def test_another_model_may_be_chosen_for_the_conversation(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("I am the second.")])
    terminal.chat()
    terminal.type("/model")
    terminal.wait_for("openai:test   (/model NAME")
    terminal.type("/model nonsense")
    terminal.wait_for("error: 'nonsense'")
    terminal.type("/model openai:second")
    terminal.wait_for("From now on: openai:second")
    terminal.type("Who are you?")
    terminal.wait_for("I am the second.")
    assert server.requests[-1].body["model"] == "second"
    terminal.leave()


def test_commands_show_memory_and_jobs_and_an_unknown_one_says_what_there_is(
    server: StrictServer, terminal: Terminal, program: Program
) -> None:
    program.run("memory", "add", "--target", "user", "Likes tea")
    terminal.chat()
    terminal.type("/memory")
    screen = terminal.wait_for("1. Likes tea")
    assert "MEMORY.md  0% — 0/2,200 characters" in screen
    terminal.type("/jobs")
    terminal.wait_for("Nothing runs in the background")
    terminal.type("/compact")
    terminal.wait_for("There is no command /compact.")
    terminal.type("/memroy")
    screen = terminal.wait_for("Did you mean /memory?")
    assert "/new /sessions /resume /memory /model /jobs /help /exit" in screen
    terminal.tmux("send-keys", "-l", "/mem")
    terminal.press("Tab")
    terminal.wait_for(lambda screen: screen.rstrip().endswith("> /memory"))
    terminal.press("Enter")
    terminal.wait_for(lambda screen: screen.count("1. Likes tea") == 2)
    terminal.type("/exit")
    terminal.wait_for("ended-with-0")
    assert server.requests == []


def test_ctrl_c_throws_a_line_away_and_at_an_empty_prompt_says_how_to_leave(
    server: StrictServer, terminal: Terminal
) -> None:
    terminal.chat()
    terminal.tmux("send-keys", "-l", "not this")
    terminal.wait_for("> not this")
    terminal.press("C-c")
    terminal.wait_for(lambda screen: "not this" not in screen)
    terminal.press("C-c")
    terminal.wait_for("(Ctrl-D ends the conversation)")
    terminal.leave()
    assert server.requests == []


def test_a_question_is_answered_in_the_terminal_while_the_turn_waits(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend(
        [
            reply("", calls=[call("ask", {"question": "Which *colour*?", "choices": ["red", "blue"]})]),
            reply("", calls=[call("ask", {"question": "Your name?"})]),
            reply("Thank you."),
        ]
    )
    terminal.chat()
    terminal.type("Ask me")
    terminal.wait_for("Which *colour*?")
    terminal.type("green")
    terminal.wait_for(lambda screen: screen.count("2. blue") == 2)
    terminal.type("2")
    terminal.wait_for("Your name?")
    terminal.type("Ann Lee")
    terminal.wait_for("Thank you.")
    answers = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "tool"]
    assert "blue" in answers[0]
    assert "Ann Lee" in answers[1]
    terminal.leave()


def test_a_dangerous_command_waits_for_a_yes(server: StrictServer, terminal: Terminal) -> None:
    dangerous = call("bash", {"command": "echo r-a-n; git reset --hard"})
    server.extend(
        [reply("", calls=[dangerous]), reply("Not done."), reply("", calls=[dangerous]), reply("Done.")]
    )
    terminal.chat()
    terminal.type("Reset it")
    terminal.wait_for("echo r-a-n; git reset --hard\n\nRun it?")
    time.sleep(READ)
    terminal.type("no")
    terminal.wait_for("Not done.")
    assert "r-a-n\n" not in tool_results(server)[-1]
    terminal.type("Do it")
    terminal.wait_for(lambda screen: screen.count("Run it?") == 2)
    terminal.press("Enter")
    terminal.wait_for(lambda screen: screen.count("(yes or no; Ctrl-C: no answer)") == 3)
    time.sleep(READ)
    terminal.type("yes")
    terminal.wait_for("\nDone.")
    assert "r-a-n\n" in tool_results(server)[-1]
    terminal.leave()


def tool_results(server: StrictServer) -> list[str]:
    messages = server.requests[-1].body["messages"]
    return [str(message["content"]) for message in messages if message["role"] == "tool"]


def test_background_commands_are_listed_and_leaving_says_which_end(
    server: StrictServer, terminal: Terminal
) -> None:
    started = call("bash", {"command": "sleep 300 # watch it", "background": True})
    server.extend([reply("", calls=[started]), reply("It runs.")])
    terminal.chat()
    terminal.type("Start it")
    terminal.wait_for("It runs.")
    terminal.type("/jobs")
    terminal.wait_for("command  ")
    screen = terminal.leave()
    ends = screen[screen.index("These background commands end") :]
    assert "sleep 300 # watch it" in ends


def test_an_interrupted_command_is_stopped(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("", calls=[call("bash", {"command": "echo begun; sleep 300"})]), reply("Stopped.")])
    terminal.chat()
    terminal.type("Run it")
    terminal.wait_for("  · bash echo begun; sleep 300 … ")
    terminal.press("C-c")
    screen = terminal.wait_for("interrupted; what was said so far is kept")
    assert "  · bash echo begun; sleep 300 ✗ stopped" in screen
    terminal.type("And?")
    terminal.wait_for("Stopped.")
    assert "interrupted this call" in tool_results(server)[-1]
    terminal.leave()


def test_what_stood_in_the_prompt_comes_back_after_a_question(
    server: StrictServer, terminal: Terminal
) -> None:
    asking = reply("", calls=[call("ask", {"question": "Your name?"})], delay=0.5)
    server.extend([asking, reply("Hello."), reply("Heard.")])
    terminal.chat()
    terminal.type("Ask me")
    terminal.wait_for(lambda _: len(server.requests) == 1)
    terminal.tmux("send-keys", "-l", "my half")
    terminal.wait_for("Your name?")
    terminal.wait_for(lambda screen: screen.rstrip().endswith("?"))
    terminal.press("C-c")
    terminal.wait_for("not answered")
    terminal.wait_for("Hello.")
    terminal.type(" message")
    terminal.wait_for("Heard.")
    assert said(server)[-1] == "my half message"
    terminal.leave()


def test_leaving_in_the_middle_of_an_answer_stops_it_and_keeps_it(
    server: StrictServer, terminal: Terminal, program: Program
) -> None:
    server.extend([stalled("It begins well and goes on and on" * 9, pause=0.5), reply("Yes, I began.")])
    terminal.chat()
    terminal.type("Tell me")
    terminal.wait_for("It begin")
    screen = terminal.leave()
    assert screen.index("interrupted;") < screen.index("Go on later with:")
    program.run("chat", "--continue", "-q", "Did you begin?")
    assert "It begin" in server.requests[-1].body["messages"][-2]["content"]


def test_a_turn_that_was_killed_goes_on_when_its_conversation_is_taken_up_again(
    server: StrictServer, terminal: Terminal, program: Program
) -> None:
    slow = call("bash", {"command": "echo begun > begun; sleep 300"})
    server.extend([reply("", calls=[slow]), reply("I looked again: done.")])
    terminal.chat()
    terminal.type("Do it")
    terminal.wait_for(lambda _: (program.folder / "begun").exists())
    os.kill(child_of(pane_of(terminal)), signal.SIGKILL)
    terminal.wait_for("ended-with-137")
    terminal.begin_anew()
    terminal.chat("--continue")
    screen = terminal.wait_for("I looked again: done.")
    assert "going on with it (Ctrl-C interrupts)" in screen
    assert said(server) == ["Do it"]
    assert "interrupted before this call's result was stored" in tool_results(server)[-1]
    terminal.leave()


def test_what_waits_while_an_answer_is_interrupted_is_answered_next(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([stalled("It begins well and goes on and on" * 9, pause=0.5), reply("To both.")])
    terminal.chat()
    terminal.type("One")
    terminal.wait_for("It begin")
    terminal.type("Two")
    terminal.wait_for("stored; it is taken at the next request")
    terminal.press("C-c")
    screen = terminal.wait_for("To both.")
    assert "now your message that waited" in screen
    assert said(server) == ["One", "Two"]
    terminal.leave()


def test_a_single_question_at_a_terminal_is_answered_in_markdown_without_colours_where_none_are_wanted(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([reply("**Bold** and `code`.\n\n> said")])
    terminal.start("chat", "-q", "hello", variable="NO_COLOR=1")
    terminal.wait_for("ended-with-0")
    colours = terminal.tmux("capture-pane", "-p", "-e")
    assert "\x1b[1mBold" in colours
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|9[0-7])m", colours)


def test_being_told_to_end_closes_the_conversation_first(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("Too late.", delay=20)])
    terminal.chat()
    terminal.type("Wait")
    terminal.wait_for(lambda _: len(server.requests) == 1)
    os.kill(child_of(pane_of(terminal)), signal.SIGTERM)
    screen = terminal.wait_for("ended-with-143")
    assert "interrupted; what was said so far is kept" in screen
    assert "Go on later with: vibeos chat --resume" in screen


def pane_of(terminal: Terminal) -> int:
    return int(terminal.tmux("display-message", "-p", "#{pane_pid}"))


def child_of(parent: int) -> int:
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=True)
    return int(found.stdout.split()[0])


def test_an_answer_that_breaks_off_is_asked_again_and_shown_once(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([broken("Half of an answer", after=3), reply("The whole answer.")])
    terminal.chat()
    terminal.type("Go")
    screen = terminal.wait_for("The whole answer.")
    assert "asked once more" in screen
    assert screen.count("The whole answer.") == 1
    terminal.leave()


def test_an_error_in_a_turn_is_said_and_the_conversation_goes_on(
    server: StrictServer, terminal: Terminal
) -> None:
    server.extend([fault(401, "This key is not valid."), reply("Both heard.")])
    terminal.chat()
    terminal.type("Anyone?")
    screen = terminal.wait_for("Your message is kept")
    assert "error:" in screen
    terminal.type("And now?")
    terminal.wait_for("Both heard.")
    assert said(server) == ["Anyone?", "And now?"]
    terminal.leave()


def test_a_window_of_twenty_columns_is_enough(server: StrictServer, terminal: Terminal) -> None:
    answer = (
        "An unbreakablewordlongerthantheline and 你好世界你好世界你好世界.\n\n- item of a list that is long"
    )
    server.extend([reply(answer, pause=0.02), reply("Done.")])
    terminal.chat(columns=20)
    terminal.type("A message of some more words than fit")
    terminal.wait_for("long")
    terminal.type("/help")
    terminal.type("again")
    screen = terminal.wait_for("Done.")
    flat = screen.replace("\n", "").replace(" ", "")
    assert flat.count("unbreakablewordlongerthantheline") == 1
    assert flat.count("你好世界你好世界你好世界") == 1
    assert said(server)[0] == "A message of some more words than fit"
    terminal.leave()


@pytest.mark.parametrize(
    ("locale", "opening", "helped", "goodbye"),
    [
        ("ru_RU.UTF-8", "справка", "начать новый разговор", "Продолжить позже"),
        ("zh_CN.UTF-8", "帮助", "开始新的对话", "以后继续"),
    ],
)
def test_the_chat_speaks_the_persons_language(  # noqa: PLR0917 - a row of the table and three fixtures
    server: StrictServer,
    terminal: Terminal,
    program: Program,
    locale: str,
    opening: str,
    helped: str,
    goodbye: str,
) -> None:
    program.variables |= {"LANG": locale, "PYTHONUTF8": "1"}
    server.extend([reply("Привет, 世界!")])
    terminal.chat()
    terminal.type("Ёжик и 刺猬")
    screen = terminal.wait_for("Привет, 世界!")
    assert opening in screen
    assert said(server) == ["Ёжик и 刺猬"]
    terminal.type("/help")
    terminal.wait_for(helped)
    assert goodbye in terminal.leave()


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(server: StrictServer, terminal: Terminal) -> None:
    server.extend([reply("A **plain** answer."), reply("Too late.", delay=20), reply("Here.")])
    terminal.chat(variable="TERM=dumb")
    terminal.type("One \\")
    terminal.type("more")
    terminal.wait_for("A **plain** answer.")
    assert said(server) == ["One \nmore"]
    terminal.type("Two")
    terminal.wait_for(lambda _: len(server.requests) == 2)
    terminal.press("C-c")
    terminal.wait_for("interrupted; what was said so far is kept")
    terminal.wait_for(lambda screen: screen.rstrip().endswith(">"))  # it asks again
    terminal.press("C-c")
    terminal.wait_for("(Ctrl-D ends the conversation)")
    terminal.type("Three")
    terminal.wait_for("Here.")
    terminal.leave()


def test_without_a_model_the_chat_offers_setup_and_the_rehearsal(terminal: Terminal) -> None:
    terminal.start("chat")
    screen = terminal.wait_for("3  leave")
    assert "vibeos config set model.name" in screen
    terminal.type("2")
    terminal.wait_for("rehearsal  session 20")
    terminal.type("remember that my favourite editor is Helix")
    terminal.wait_for("· memory user add My favourite editor is Helix ✓")
    terminal.wait_for(lambda screen: screen.rstrip().endswith(">"))
    terminal.leave()


def test_without_a_model_setup_leads_into_the_conversation(terminal: Terminal) -> None:
    with StrictServer([reply("Yes."), reply("Hello there.")]) as server:
        terminal.start("chat")
        terminal.wait_for("3  leave")
        terminal.type("1")
        terminal.wait_for("Who serves the model?")
        terminal.type(server.base_url)
        terminal.wait_for("Its name, never the key itself")
        terminal.type("")
        terminal.wait_for("Which model?")
        terminal.type("1")
        terminal.wait_for("session 20")
        terminal.type("Hi")
        terminal.wait_for("Hello there.")
        terminal.leave()
        server.assert_used_up()


def test_without_a_model_leaving_has_its_exit_code(terminal: Terminal) -> None:
    terminal.start("chat")
    terminal.wait_for("3  leave")
    terminal.type("3")
    terminal.wait_for("ended-with-3")
