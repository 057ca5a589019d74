"""An agent loop of your own that no window ends: any endpoint of the OpenAI chat format, one tool, checkpoints.

python own_loop.py http://127.0.0.1:11434/v1 qwen3 "Read todo.txt and work through it, oldest first."
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from openai import AsyncOpenAI

from vibeos import LongConversation

SHOW = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [
    {"type": "function", "function": {"name": "show", "description": "A file's text.", "parameters": SHOW}}
]


async def work(task: str, url: str, model: str, window: int = 128_000) -> str:
    async with AsyncOpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "none")) as client:

        async def ask(messages: list, tools: list) -> object:
            return await client.chat.completions.create(model=model, messages=messages, tools=tools)

        async with LongConversation.open("notes", ask=ask, window=window, tools=TOOLS) as talk:
            talk.typed(task)
            while True:
                answer = await ask(await talk.messages(), talk.tools)
                calls = talk.answered(answer)
                if not calls:
                    return answer.choices[0].message.content
                for call in calls:
                    talk.result(call.call_id, Path(json.loads(call.arguments)["path"]).read_text())


if __name__ == "__main__":
    print(asyncio.run(work(sys.argv[3], sys.argv[1], sys.argv[2])))
