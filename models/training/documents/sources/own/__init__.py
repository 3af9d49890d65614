"""Own generators of documents, one module for some families that are alike."""
