//! Names of elements and attributes, by how they are treated. Each list is one string, words apart
//! by spaces.

/// Whether `name`, in lower case, is in `list`.
pub(super) fn is_among(name: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|word| word == name)
}

/// Left out with all they hold.
pub(super) const DROPPED: &str = "\
    applet audio button canvas datalist dialog embed frameset iframe map math noembed \
    noframes noscript object plaintext script select style svg template textarea video xmp";

/// Without content or end.
pub(super) const VOID: &str = "\
    area base br col embed frame hr img input link meta param source track wbr";

/// Kept, besides those without content. Of others only the content is.
pub(super) const KEPT: &str = "\
    a abbr address article aside b blockquote caption center cite code dd del details dfn \
    div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup i \
    ins kbd label legend li main mark menu nav ol p picture pre q s samp search section \
    small span strong sub summary sup table tbody td tfoot th thead time title tr tt u ul \
    var";

/// Kept of those without content.
pub(super) const KEPT_VOID: &str = "base br hr img link meta";

/// Written anew for every one around them.
pub(super) const WRAPPING: &str = "a b blockquote code em i menu ol pre strong table ul";

/// The start of one of these ends a paragraph.
pub(super) const ENDS_PARAGRAPH: &str = "\
    address article aside blockquote center details dialog div dl fieldset figcaption figure \
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section \
    summary table ul";

/// May end before what began inside them.
pub(super) const FORMATTING: &str = "\
    a abbr b big cite code del em font i ins kbd label mark nobr q s samp small span strike \
    strong sub sup tt u var";

/// Ends of these reach beyond the walls of a cell.
pub(super) const TABLE_PARTS: &str = "caption table tbody td tfoot th thead tr";

/// Kept attributes.
pub(super) const ATTRIBUTES: &str = "\
    alt aria-hidden class content hidden href id itemprop lang name property rel role src \
    start style title value datetime itemscope itemtype";
