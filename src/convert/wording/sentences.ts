/** Decides whether a sentence continues from one line to the next: words that never end one, and full stops that do not. */

const edge = '(?:^|[\\s(\\[“"])';
/** A number follows: `Eq.` and `(3)`. */
const beforeNumber = new RegExp(`${edge}(?:figs?|eqs?|eqns?|refs?|sects?|secs?|tabs?|chaps?|nos?|nrs?|vols?|pp?|arts?|abb|kap|abschn|gl|bd|abs|s)\\.$`, 'iu');
const number = /^[([]?(?:[A-Z]\.?)?\d/u;
/** The sentence continues, with a name after some of them. */
const beforeName = new RegExp(`${edge}(?:dr|prof|mr|mrs|ms|cf|vs|e\\.\\s?g|i\\.\\s?e|vgl|bzw|z\\.\\s?b)\\.,?$`, 'iu');
const beforeMore = new RegExp(`${edge}(?:al|viz|resp|approx|ca|d\\.\\s?h|u\\.\\s?a|sog)\\.$`, 'iu');

/** Whether the sentence in `above` continues in `below`, although a full stop separates them. */
export function goesOnAfterAbbreviation(above: string, below: string): boolean {
  return beforeNumber.test(above) && number.test(below) || beforeName.test(above) && /^[\p{L}\d(]/u.test(below) || beforeMore.test(above) && /^[\p{Ll}\d(\[]/u.test(below);
}

const smallWord = /\b(?:the|of|and|a|an|in|to|for|with|by|on|der|die|das|und|von|de|la|et|les|y|el)$/i;

/** A line with this end continues, whatever the next one begins with. */
export function endsOpen(text: string): boolean {
  return smallWord.test(text);
}

/** Whether the text ends like a sentence, including quotation marks and brackets behind its full stop. */
export function endsSentence(text: string): boolean {
  return /[.!?…。！？][)\]"'”’»]*$/.test(text);
}
