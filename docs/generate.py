"""Write the pages of this folder that are made from the code. `make docs` runs it; a test checks the result."""

from __future__ import annotations

from pathlib import Path

from vibeos.values.config_keys import describe_keys

HERE = Path(__file__).parent

CONFIGURATION = """\
# Configuration

`config.yaml` in the home folder (`~/.vibeos`, or `VIBEOS_HOME`, or `--home`). Made from the code by `make docs`.

`vibeos config show` prints every setting with where its value comes from; `vibeos config set NAME VALUE` changes one
and leaves comments and order as they are. Flags win over environment variables (`VIBEOS_MODEL` for `model.name`,
`VIBEOS_BASE_URL` for `model.base_url`), those over the file, the file over the defaults. A file that cannot be read is
an error, never "defaults". Unquoted `on` and `off` are words, and mean what they say.

"""


def pages() -> dict[str, str]:
    """Each generated page's name and text."""
    return {"configuration.md": CONFIGURATION + describe_keys()}


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
