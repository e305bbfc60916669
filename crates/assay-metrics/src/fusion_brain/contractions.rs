//! Contractions written without their apostrophes, as listed in the VQA evaluation.

/// Each line has the intended spelling, and the spellings that stand for it. One of them loses its
/// apostrophe instead: the original turns «somebody'd» into «somebodyd», so this does too.
const SPELLINGS: &str = "\
ain't aint
aren't arent
can't cant
could've couldve
couldn't couldnt
couldn't've couldn'tve couldnt've
didn't didnt
doesn't doesnt
don't dont
hadn't hadnt
hadn't've hadnt've hadn'tve
hasn't hasnt
haven't havent
he'd hed
he'd've hed've he'dve
he's hes
how'd howd
how'll howll
how's hows
isn't isnt
it'd itd
it'd've itd've it'dve
it'll itll
ma'am maam
mightn't mightnt
mightn't've mightnt've mightn'tve
might've mightve
mustn't mustnt
must've mustve
needn't neednt
not've notve
o'clock oclock
oughtn't oughtnt
'ow's'at ow's'at 'ows'at 'ow'sat
shan't shant
she'd've shed've she'dve
should've shouldve
shouldn't shouldnt
shouldn't've shouldnt've shouldn'tve
somebodyd somebody'd
somebody'd've somebodyd've somebody'dve
somebody'll somebodyll
somebody's somebodys
someone'd someoned
someone'd've someoned've someone'dve
someone'll someonell
someone's someones
something'd somethingd
something'd've somethingd've something'dve
something'll somethingll
that's thats
there'd thered
there'd've thered've there'dve
there're therere
there's theres
they'd theyd
they'd've theyd've they'dve
they'll theyll
they're theyre
they've theyve
'twas twas
wasn't wasnt
we'd've wed've we'dve
we've weve
weren't werent
what'll whatll
what're whatre
what's whats
what've whatve
when's whens
where'd whered
where's wheres
where've whereve
who'd whod
who'd've whod've who'dve
who'll wholl
who's whos
who've whove
why'll whyll
why're whyre
why's whys
won't wont
would've wouldve
wouldn't wouldnt
wouldn't've wouldnt've wouldn'tve
y'all yall
y'all'll yall'll y'allll
y'all'd've yall'd've y'alld've y'all'dve
you'd youd
you'd've youd've you'dve
you'll youll
you're youre
you've youve";

/// Restores the missing apostrophes of a contraction.
pub(super) fn with_apostrophe(word: &str) -> &str {
    let mut found = word;
    for line in SPELLINGS.lines() {
        let mut spellings = line.split(' ');
        if let Some(meant) = spellings.next()
            && spellings.any(|spelling| spelling == word)
        {
            found = meant;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_are_put_where_they_belong() {
        for (word, meant) in [
            ("dont", "don't"),
            ("couldn'tve", "couldn't've"),
            ("y'alld've", "y'all'd've"),
            ("twas", "'twas"),
            ("somebody'd", "somebodyd"),
            ("don't", "don't"),
            ("dog", "dog"),
            ("", ""),
        ] {
            assert_eq!(with_apostrophe(word), meant);
        }
    }
}
