"""Clients of /rerank: `rerank.py cohere`, `langchain` (both Cohere's form) or `jina`. Their scores are those that the form of Text Embeddings Inference gives for the same pairs."""
import json
import sys
import urllib.request

import verbs

RANKER = "ranker"
QUERY = "what is a panda"
DOCUMENTS = ["hello", "a bear of china that eats bamboo", "the world", "a cat", "what is a panda"]
TOLERANCE = 1e-6


def expected():
    """The probability of each document, from another route than the clients use."""
    body = json.dumps({"model": RANKER, "query": QUERY, "texts": DOCUMENTS}).encode()
    request = urllib.request.Request(f"{verbs.URL}/rerank", body, {"authorization": f"Bearer {verbs.KEY}", "content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return {entry["index"]: entry["score"] for entry in json.load(answer)}


def judge(pairs, count=len(DOCUMENTS)):
    """What is wrong with pairs of index and score, or nothing."""
    scores = expected()
    best = sorted(scores, key=lambda index: -scores[index])[:count]
    if [index for index, _ in pairs] != best:
        return f"the order {[index for index, _ in pairs]} is not {best}"
    if any(abs(score - scores[index]) > TOLERANCE for index, score in pairs):
        return f"scores {pairs}, not {scores}"
    return "" if len({round(score, 9) for _, score in pairs}) == count else f"equal scores: {pairs}"


def refused(status, words, act):
    """The exception names the status, or says what was wrong: Jina's client shows the sentence alone."""
    try:
        value = act()
    except Exception as error:
        return "" if status in verbs.statuses(error) or words in str(error) else f"{type(error).__name__}, not {status} or '{words}': {error}"
    return f"nothing was refused: {value!r}"


def cohere_ranks(key=verbs.KEY, model=RANKER, **more):
    import cohere
    answer = cohere.ClientV2(api_key=key, base_url=verbs.URL).rerank(model=model, query=QUERY, documents=DOCUMENTS, **more)
    return [(result.index, result.relevance_score) for result in answer.results]


def langchain_ranks(key=verbs.KEY, model=RANKER, top_n=len(DOCUMENTS)):
    from langchain_cohere import CohereRerank
    from langchain_core.documents import Document
    ranker = CohereRerank(model=model, base_url=verbs.URL, cohere_api_key=key, top_n=top_n)
    ranked = ranker.compress_documents([Document(text) for text in DOCUMENTS], QUERY)
    return [(DOCUMENTS.index(document.page_content), document.metadata["relevance_score"]) for document in ranked]


def jina_ranks(key=verbs.KEY, model=RANKER, top_n=len(DOCUMENTS)):
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.postprocessor.jinaai_rerank import JinaRerank
    ranker = JinaRerank(model=model, base_url=f"{verbs.URL}/v1", api_key=key, top_n=top_n)
    nodes = ranker.postprocess_nodes([NodeWithScore(node=TextNode(text=text), score=0) for text in DOCUMENTS], QueryBundle(QUERY))
    return [(DOCUMENTS.index(node.node.get_content()), node.score) for node in nodes]


PACKAGES = {"cohere": ["cohere"], "langchain": ["langchain-cohere"], "jina": ["llama-index-postprocessor-jinaai-rerank"]}
RANKS = {"cohere": cohere_ranks, "langchain": langchain_ranks, "jina": jina_ranks}

if __name__ == "__main__":
    ranks = RANKS[sys.argv[1]]
    verbs.run_cases(PACKAGES[sys.argv[1]], [
        ("all documents", lambda: judge(ranks())),
        ("top_n", lambda: judge(ranks(top_n=2), 2)),
        ("unknown model", lambda: refused(404, verbs.UNKNOWN, lambda: ranks(model=verbs.UNKNOWN))),
        ("model of another kind", lambda: refused(400, "embed", lambda: ranks(model=verbs.EMBEDDER))),
        ("wrong key", lambda: refused(401, "key", lambda: ranks(key=verbs.WRONG_KEY))),
    ])
