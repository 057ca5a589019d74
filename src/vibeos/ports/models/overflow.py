"""Whether a provider refused a request because it is too long. Every vendor and server says so in a form of its own.

Three signs, the surest first: a code or type that means nothing else; a status of 413, whatever a gateway wrote
beside it; a sentence that speaks of the context, under a status that such a refusal comes with. Rate limits speak
of tokens too, and wrong keys quote requests, so under their statuses no sentence counts.

Known forms (the tests hold each as it was seen): OpenAI and Azure, Anthropic (the prompt alone, the prompt with
`max_tokens`, the bytes), Google, xAI, Mistral, Groq, Moonshot, MiniMax, Copilot, Bedrock, OpenRouter, vLLM, SGLang,
TGI, llama.cpp, Ollama, LM Studio.
"""

from __future__ import annotations

import re

_CODES = frozenset(
    {
        "context_exceeded",
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
        "request_too_large",
    }
)
_NEVER = frozenset({401, 402, 403, 404, 408, 409, 429, 529})
_SENTENCES = (
    r"context_length_exceeded|exceed_context_size|max_model_len",
    r"(prompt|input|inputs|request|conversation|messages?)( \([^)]*\))? (is|are) too (long|large)\b",
    r"too large for model with \d+ maximum context",
    r"maximum (context|prompt|input|sequence|model) length",
    r"model's context length|(loaded with( a)?|greater than the|exceeds the|exceeds) context length",
    r"(than|exceeds?) the (maximum )?context (length|size|window)",
    r"context (window|size|length|limit)( has been| is)? exceed(s|ed)",
    r"exceed(s|ed)? (the |this )?(available |model'?s )?(maximum )?context",
    r"exceed(s|ed)? (the )?(maximum|model|configured) (number of )?(input |prompt )?token",
    r"prompt token count of \d+ exceeds|prompt exceeds max length|input tokens exceed",
    r"too many (input |prompt )?tokens|reduce (the length|the number|your prompt|the input)",
    r"`?inputs`? (tokens )?(length )?\+ `?max_new_tokens`? must be",
    r"range of input length should be",
)
_SENTENCE = re.compile("|".join(_SENTENCES), re.IGNORECASE)


def is_overflow(*, status: int | None, codes: tuple[str, ...], sentence: str) -> bool:
    """Whether a refusal means "too long".

    `status` is the HTTP status, or what stands for it in an error inside a stream; None when there is none. `codes` are
    the error's code and type as far as it has them, `sentence` is what the provider said.
    """
    if status == 413 or not _CODES.isdisjoint(codes):
        return True
    return status not in _NEVER and _SENTENCE.search(sentence) is not None
