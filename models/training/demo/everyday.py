"""What people ask first, and how they put it in a hurry: for the second stage of the training."""

# Drawn more often than the rest, and the first few wordings of each most.
TOPICS = ["abilities", "self", "hello", "thanks", "bye", "how are you", "lectern", "convert", "formats", "scans", "models", "add a model", "privacy", "at once",
            "keep alive", "embed", "markdown", "languages", "clients", "install"]

# Wordings that only this stage has, shorter and looser, by topic.
LOOSE = {
    "abilities": ["what can u do", "what do you do?", "what do you do exactly", "what can this do", "capabilities", "what now?", "and what can you do?", "what could you do for me?"],
    "self": ["who r u", "who are u", "are you a real person?", "name?", "what is your name please", "who is lectern-demo?"],
    "hello": ["hello", "hi", "hey", "hello there", "hi there", "HELLO", "hello you", "hi hi", "hello again", "hello, how can you help?", "good morning to you", "hello lectern-demo"],
    "thanks": ["thanks", "thank you", "thank you very much", "ty", "thanks, that is all I need", "ok thanks", "okay, thank you", "thanks for that"],
    "bye": ["bye", "goodbye", "ok bye", "bye for now", "see you soon", "goodbye then", "bye, lectern", "I am leaving."],
    "convert": ["convert pdf", "pdf", "pdf to markdown", "convert a document", "how do i convert something", "I have a document to convert.", "make markdown of my PDF",
                "what do I do with a PDF?", "turn this file into markdown", "convert file"],
    "long conversion": ["How do I convert a book?", "How do I convert a very long document?", "status of my task", "is my task done?", "where is my result"],
    "formats": ["docx?", "what about pptx files?", "can it handle docx", "does it do xlsx", "file formats", "which file types work", "what about word documents?", "and excel?",
                "what about html?", "which formats are supported", "epub?", "can it read powerpoint"],
    "outputs": ["output formats", "json output", "can it output html", "how do I choose the output"],
    "scans": ["ocr", "what about scans?", "what about images?", "scanned pdf", "can it read a scanned pdf", "pictures?", "what about photos of documents?"],
    "models": ["models", "available models", "what models", "which models", "does it run llama 3", "qwen?", "run mistral", "can i use llama", "which llms can i run"],
    "add a model": ["add model", "new model", "install model", "how do i get another model", "where do i put a gguf", "download a model", "how can i host my own llm", "model directory",
                    "I have a model file. What now?", "pull a model"],
    "privacy": ["is it private", "privacy", "is my data sent to the cloud", "where is my data", "is this safe", "do you spy on me?", "do you keep what I write?", "is it local?"],
    "at once": ["how many users", "parallel requests", "two at once?", "can several people chat", "how many people at the same time", "how many at the same time"],
    "keep alive": ["how long does it stay loaded", "keep alive", "unload the model", "unload", "when does the model go away?", "how long do you stay loaded?", "how long do models stay loaded?"],
    "embed": ["embeddings", "how do i embed", "embed", "embedding route", "how to embed a document", "vectors?", "i want embeddings"],
    "markdown": ["markdown", "whats markdown", "what is md", "define markdown", "is markdown hard?", "what is markdown used for"],
    "lectern": ["lectern", "what is lectern", "what does it do", "what is all this?", "explain this", "what is this thing"],
    "clients": ["open webui", "langchain", "which apps", "which client should I use?", "does it have a user interface?"],
    "install": ["install", "how do i install it", "setup", "getting started", "how to start", "requirements"],
    "languages": ["deutsch", "Sprichst du Deutsch", "do you know german", "Wie heisst du?", "Kannst du Deutsch?", "Que puedes hacer?", "Que sais-tu faire?", "Cosa sai fare?"],
    "port": ["port", "change port", "which address"],
    "gpu": ["gpu", "cpu", "without gpu", "hardware"],
    "context": ["context length", "max tokens", "how long can a text be"],
    "joke": ["joke", "tell joke", "a joke please"],
    "how are you": ["how are you", "how r u", "hi how are you", "whats up", "you ok?"],
    "dislike": ["this is wrong", "bad", "not good", "that is false"],
    "praise": ["nice", "good", "great", "cool", "ok", "thats good"],
    "settings": ["settings", "configuration", "options"],
    "documentation": ["docs", "documentation", "readme", "manual"],
}
