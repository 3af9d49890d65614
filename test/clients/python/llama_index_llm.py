"""LlamaIndex: `llama_index_llm.py ollama` or `openai_like`."""
import sys
import httpx
import pydantic
import verbs
from typing import Literal
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from verbs import KEY, MODEL, QUESTION, TEXTS, TOKENS, TOOL, TOOL_QUESTION, URL

KIND = sys.argv[1]
MESSAGES = [ChatMessage(role="user", content=QUESTION)]
HEADERS = {"authorization": f"Bearer {KEY}"}


class Lamp(pydantic.BaseModel):
    """A lamp."""
    colour: Literal["red", "green", "blue"]
    bright: bool


def set_lamp(room: Literal["kitchen", "hall"], on: bool) -> str:
    return "done"


LAMP_TOOL = FunctionTool.from_defaults(set_lamp, name=TOOL, description=verbs.TOOL_TEXT)


def llm(model=MODEL, key=KEY, tokens=TOKENS, temperature=0, **more):
    if KIND == "ollama":
        import ollama
        from llama_index.llms.ollama import Ollama
        headers = {"authorization": f"Bearer {key}"}
        return Ollama(
            model=model, base_url=URL, temperature=temperature, context_window=4096, additional_kwargs={"num_predict": tokens}, request_timeout=120, thinking=False,
            client=ollama.Client(host=URL, headers=headers), async_client=ollama.AsyncClient(host=URL, headers=headers),
        )
    from llama_index.llms.openai_like import OpenAILike
    return OpenAILike(model=model, api_base=f"{URL}/v1", api_key=key, temperature=temperature, max_tokens=tokens, max_retries=0, is_chat_model=True, is_function_calling_model=True, context_window=4096, **more)


class Chat:
    packages = ["llama-index-core", f"llama-index-llms-{KIND.replace('_', '-')}", f"llama-index-embeddings-{KIND.replace('_', '-')}"]
    lacks = {} if KIND == "openai_like" else dict.fromkeys(("tools", "tools_stream"), "the package sends no tool_choice")

    def chat(self):
        return llm().chat(MESSAGES).message.content

    def stream(self):
        return [part.delta for part in llm().stream_chat(MESSAGES) if part.delta]

    def tools(self):
        model = llm(tokens=verbs.OBJECT_TOKENS)
        response = model.chat_with_tools([LAMP_TOOL], user_msg=QUESTION, tool_required=True)
        [call] = model.get_tool_calls_from_response(response)
        result = ChatMessage(role="tool", content="done", additional_kwargs={"tool_call_id": call.tool_id})
        assert model.chat_with_tools([LAMP_TOOL], chat_history=[*MESSAGES, response.message, result]) is not None
        return call.tool_name, call.tool_kwargs

    def tools_stream(self):
        model = llm(tokens=verbs.OBJECT_TOKENS)
        for response in model.stream_chat_with_tools([LAMP_TOOL], user_msg=QUESTION, tool_required=True):
            last = response
        [call] = model.get_tool_calls_from_response(last)
        return call.tool_name, call.tool_kwargs

    def auto(self, model):
        model = llm(model, tokens=verbs.OBJECT_TOKENS)
        response = model.chat_with_tools([LAMP_TOOL], user_msg=TOOL_QUESTION)
        return [(call.tool_name, call.tool_kwargs) for call in model.get_tool_calls_from_response(response, error_on_no_tool_call=False)]

    def structure(self):
        return llm(tokens=verbs.OBJECT_TOKENS).as_structured_llm(Lamp).chat(MESSAGES).raw.model_dump()

    def embed(self):
        if KIND == "ollama":
            from llama_index.embeddings.ollama import OllamaEmbedding
            return OllamaEmbedding(model_name=verbs.EMBEDDER, base_url=URL, client_kwargs={"headers": HEADERS}).get_text_embedding_batch(TEXTS)
        from llama_index.embeddings.openai_like import OpenAILikeEmbedding
        return OpenAILikeEmbedding(model_name=verbs.EMBEDDER, api_base=f"{URL}/v1", api_key=KEY).get_text_embedding_batch(TEXTS)

    def unknown_model(self):
        return llm(verbs.UNKNOWN).chat(MESSAGES)

    def bad_request(self):
        return llm(additional_kwargs={"top_p": -7}).chat(MESSAGES) if KIND == "openai_like" else llm(temperature=-7).chat(MESSAGES)

    def wrong_key(self):
        return llm(key=verbs.WRONG_KEY).chat(MESSAGES)

    async def cancel(self):
        # For OpenAILike, the end of the loop leaves the connection open.
        client = httpx.AsyncClient()
        stream = await llm(tokens=16_000, **({"async_http_client": client} if KIND == "openai_like" else {})).astream_chat(MESSAGES)
        await anext(stream)
        await stream.aclose()
        await client.aclose()


if __name__ == "__main__":
    verbs.run(Chat())
