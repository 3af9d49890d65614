"""Words of the languages: Debian's dictionaries, read where training runs, and the small words that make up half of any text."""

import functools
import os

import alphabet

# Language -> files, the first that is there is read. They come from Debian's packages wamerican, wngerman, wfrench, wspanish, witalian, wportuguese, wdanish, wnorwegian,
# wswedish, wpolish, hunspell-cs.
DICTIONARIES = {
    "en": ["/usr/share/dict/american-english", "/usr/share/dict/british-english"], "de": ["/usr/share/dict/ngerman"], "fr": ["/usr/share/dict/french"],
    "es": ["/usr/share/dict/spanish"], "it": ["/usr/share/dict/italian"], "pt": ["/usr/share/dict/portuguese", "/usr/share/dict/brazilian"], "da": ["/usr/share/dict/danish"],
    "no": ["/usr/share/dict/bokmaal", "/usr/share/dict/norwegian"], "sv": ["/usr/share/dict/swedish"], "pl": ["/usr/share/dict/polish"], "cs": ["/usr/share/hunspell/cs_CZ.dic"],
}
# How much of the text is in it.
SHARES = {"en": 44, "de": 12, "fr": 9, "es": 7, "it": 5, "pt": 5, "da": 3, "no": 3, "sv": 3, "pl": 4, "cs": 5}

SMALL = {
    "en": "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has "
          "when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum "
          "war haben nur oder aber vor zur bis mehr durch man sein wurde sei kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines zwei jahr",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son aux d'un cette d'une ont ses mais comme on tout nous sa été fait être elle leur c'est l'on n'est où après même entre",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está",
    "it": "di e il la che in a per un è del non una i le si da con i della nel al sono come lo ha più ma anche dei alla se gli ed delle su questo o dal essere ci dalla suo nella sua era cui fra così già perché",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois são",
    "da": "og i at det er en til på som for af de med han den der ikke et har jeg var men fra om vi hun kan sig så eller blev ved nu når over også efter være alle år få mod under op",
    "no": "og i det på som er en til å han av for med at var de ikke den har jeg om et men så seg hun hadde fra vi du kan da ble ut skal vil ham etter over ved også bare eller sa nå dette noe være",
    "sv": "och i att det som en på är av för med den till inte om har de ett han var jag men från vi så kan när år under också efter eller nu sin där vid mot ska skulle kommer ut får finns vara hade alla andra mycket än",
    "pl": "w i na z do się nie że to jest o jak po a ale co za od przez przy dla tym był są być tylko już może jego lub ze oraz także która który które tak było czy jej ich sobie pod bardzo przed między",
    "cs": "a v se na je že o s z do i to k za po pro ve by si ale jako od jsem jeho jsou byl který které která jeho až nebo tak při bylo také podle není však už když mezi může jen roku být před let ještě má více",
}
CAPITALISED_NOUNS = {"de"}


def _lines(path):
    raw = open(path, "rb").read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("iso-8859-2" if path.endswith("cs_CZ.dic") or "polish" in path else "iso-8859-1")
    return [line.split("/")[0].strip() for line in text.splitlines()]


# Some dictionaries have millions of inflected forms: every so-many-th is enough.
MOST = 60000


@functools.lru_cache(None)
def dictionary(language):
    """At most MOST words of up to 16 letters that the alphabet can write, evenly from the file in its order (the small words alone where no file is there)."""
    path = next((path for path in DICTIONARIES[language] if os.path.exists(path)), None)
    rows = [] if path is None else _lines(path)
    words = [alphabet.written(word) for word in rows[::max(1, len(rows) // MOST)]]
    kept = [word for word in words if 1 < len(word) <= 16 and not word.isdigit() and all(character in alphabet.INDEX for character in word)]
    return kept or SMALL[language].split()


@functools.lru_cache(None)
def small(language):
    return SMALL[language].split()


def missing():
    """Languages whose dictionary is not installed."""
    return [language for language, paths in DICTIONARIES.items() if not any(os.path.exists(path) for path in paths)]


def word(draw, language):
    """Half of the words of a text are small ones, the first of the list more often; the rest is evenly from the dictionary."""
    if draw.random() < 0.45:
        list_of = small(language)
        return list_of[int(len(list_of) * draw.random() ** 1.6)]
    return draw.choice(dictionary(language))


def language(draw):
    return draw.choices(list(SHARES), weights=list(SHARES.values()))[0]
