"""LangChain's chat models: `langchain_chat.py openai`, `ollama` or `anthropic`."""
import sys
import verbs
from verbs import KEY, MODEL, QUESTION, SCHEMA, TEXTS, TOKENS, TOOL, TOOL_QUESTION, URL
from langchain_core.messages import HumanMessage, ToolMessage

KIND = sys.argv[1]
LAMP = {"title": "lamp", "description": "A lamp.", **SCHEMA}


def model_with(model=MODEL, key=KEY, tokens=TOKENS, **more):
    if KIND == "openai":
        from langchain_openai import ChatOpenAI
        return ChatOpenAI(**{"model": model, "base_url": f"{URL}/v1", "api_key": key, "temperature": 0, "max_tokens": tokens, "max_retries": 0, **more})
    if KIND == "anthropic":
        from langchain_anthropic import ChatAnthropic
        return ChatAnthropic(**{"model": model, "base_url": URL, "api_key": key, "temperature": 0, "max_tokens": tokens, "max_retries": 0, **more})
    from langchain_ollama import ChatOllama
    return ChatOllama(**{"model": model, "base_url": URL, "client_kwargs": {"headers": {"authorization": f"Bearer {key}"}}, "temperature": 0, "num_predict": tokens, **more})


def text_of(message):
    return message.text if isinstance(message.text, str) else message.text()


class Chat:
    packages = ["langchain-core", f"langchain-{KIND}"]
    lacks = {
        "openai": {},
        "ollama": dict.fromkeys(("tools", "tools_stream"), "the package has no tool_choice"),
        "anthropic": {"embed": "not of this interface"},
    }[KIND]

    def chat(self):
        return text_of(model_with().invoke(QUESTION))

    def stream(self):
        return [text_of(chunk) for chunk in model_with().stream(QUESTION) if text_of(chunk)]

    def bound(self):
        return model_with(tokens=verbs.OBJECT_TOKENS).bind_tools([verbs.FUNCTION], tool_choice=TOOL)

    def tools(self):
        message = self.bound().invoke(QUESTION)
        [call] = message.tool_calls
        assert model_with().bind_tools([verbs.FUNCTION]).invoke([HumanMessage(QUESTION), message, ToolMessage("done", tool_call_id=call["id"])]) is not None
        return call["name"], call["args"]

    def tools_stream(self):
        whole = None
        for chunk in self.bound().stream(QUESTION):
            whole = chunk if whole is None else whole + chunk
        [call] = whole.tool_calls
        return call["name"], call["args"]

    def auto(self, model):
        message = model_with(model, tokens=verbs.OBJECT_TOKENS).bind_tools([verbs.FUNCTION]).invoke(TOOL_QUESTION)
        return [(call["name"], call["args"]) for call in message.tool_calls]

    def structure(self):
        return model_with(tokens=verbs.OBJECT_TOKENS).with_structured_output(LAMP, method="json_schema").invoke(QUESTION)

    def embed(self):
        if KIND == "openai":
            from langchain_openai import OpenAIEmbeddings
            return OpenAIEmbeddings(model=verbs.EMBEDDER, base_url=f"{URL}/v1", api_key=KEY, check_embedding_ctx_length=False).embed_documents(TEXTS)
        from langchain_ollama import OllamaEmbeddings
        return OllamaEmbeddings(model=verbs.EMBEDDER, base_url=URL, client_kwargs={"headers": {"authorization": f"Bearer {KEY}"}}).embed_documents(TEXTS)

    def unknown_model(self):
        return model_with(verbs.UNKNOWN).invoke(QUESTION)

    def bad_request(self):
        return model_with(temperature=-7).invoke(QUESTION)

    def wrong_key(self):
        return model_with(key=verbs.WRONG_KEY).invoke(QUESTION)

    async def cancel(self):
        stream = model_with(MODEL, tokens=16_000).astream(QUESTION)
        async for chunk in stream:
            if text_of(chunk):
                break
        await stream.aclose()


if __name__ == "__main__":
    verbs.run(Chat())
