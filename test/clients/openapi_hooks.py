"""What schemathesis cannot know of this service: which models there are, and that answers are to be short. One request in eight keeps what was generated."""
import zlib

import schemathesis

EMBEDDING_PATHS = ("/v1/embeddings", "/api/embed", "/api/embeddings")
SHORT = 4


def is_kept(body) -> bool:
    return zlib.crc32(repr(body).encode()) % 8 == 0


@schemathesis.hook
def map_body(context, body):
    operation = context.operation
    if not isinstance(body, dict) or "model" not in body or is_kept(body):
        return body
    changed = dict(body, model="embedder" if operation.path in EMBEDDING_PATHS else "chat")
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        if isinstance(changed.get(name), int) and changed[name] > SHORT:
            changed[name] = SHORT
    if operation.path in ("/api/chat", "/api/generate") and isinstance(changed.get("options", {}), (dict, type(None))):
        changed["options"] = dict(changed.get("options") or {}, num_predict=SHORT)
    if operation.path in ("/v1/chat/completions", "/v1/completions") and isinstance(changed.get("n"), int):
        changed["n"] = 1
    return changed
