//! What a page says of its things for programs (schema.org as JSON-LD and microdata), as Markdown: a
//! sentence that describes each, and a table of its properties.
//!
//! Only things that have a name and a kind count, and not what pages say of themselves: site,
//! breadcrumbs, who publishes it. Nothing of it is believed more than the page's text.

use dom_query::{Document, NodeRef, Selection};
use serde_json::{Map, Value};

/// The type of a script that is data.
const JSON_LD: &str = "application/ld+json";
/// Bytes of one block of JSON-LD that are read.
const MOST_BYTES: usize = 256 << 10;
/// Blocks, and things of all of them.
const MOST_BLOCKS: usize = 20;
const MOST_THINGS: usize = 3;
/// Properties of a thing, and values of one.
const MOST_PROPERTIES: usize = 16;
const MOST_VALUES: usize = 5;
/// Characters of a value; a description may have more.
const MOST_VALUE: usize = 120;
const MOST_DESCRIPTION: usize = 1_000;

/// Kinds of what a page says of itself and its site.
const OF_PAGES: &[&str] = &[
    "website", "webpage", "aboutpage", "collectionpage", "itempage", "profilepage", "faqpage",
    "qapage", "searchresultspage", "breadcrumblist", "listitem", "itemlist", "imageobject",
    "videoobject", "searchaction", "readaction", "sitenavigationelement", "wpheader", "wpfooter",
    "wpsidebar", "article", "newsarticle", "blogposting", "techarticle", "report", "question",
    "answer", "review", "aggregaterating", "offer", "comment",
];
/// Properties that tell nothing of the thing.
const IDLE: &[&str] = &[
    "name",
    "description",
    "headline",
    "url",
    "image",
    "logo",
    "sameas",
    "identifier",
    "sku",
    "mpn",
    "potentialaction",
    "mainentityofpage",
    "inlanguage",
    "thumbnailurl",
    "keywords",
    "articlebody",
    "review",
    "reviews",
    "aggregaterating",
    "comment",
    "breadcrumb",
    "ispartof",
    "haspart",
    "contactpoint",
    "publisher",
    "datemodified",
    "datecreated",
    "text",
    "photo",
    "video",
    "hasmerchantreturnpolicy",
    "shippingdetails",
    "isrelatedto",
    "issimilarto",
    "hasvariant",
];
/// Codes of units that pages give in the place of the unit.
const UNITS: &[(&str, &str)] = &[
    ("KGM", "kg"),
    ("GRM", "g"),
    ("LBR", "lb"),
    ("ONZ", "oz"),
    ("CMT", "cm"),
    ("MMT", "mm"),
    ("MTR", "m"),
    ("INH", "in"),
    ("FOT", "ft"),
    ("KMT", "km"),
    ("LTR", "l"),
    ("MLT", "ml"),
    ("WTT", "W"),
    ("KWT", "kW"),
    ("VLT", "V"),
    ("HTZ", "Hz"),
    ("CEL", "°C"),
    ("SEC", "s"),
    ("MIN", "min"),
    ("HUR", "h"),
    ("DAY", "d"),
    ("P1", "%"),
];

/// A thing with its properties, in the order of the page.
#[derive(Debug, Default)]
struct Thing {
    name: String,
    description: Option<String>,
    properties: Vec<(String, String)>,
}

/// The things of a page as Markdown; empty if it names none. `written` is the page as it came, with its
/// scripts; `title` is what it is called: what that has in it is told first.
pub(super) fn structured(written: &str, page: &Document, title: Option<&str>) -> String {
    let mut things = Vec::new();
    for text in blocks(written).into_iter().filter(|text| text.len() <= MOST_BYTES) {
        if let Ok(value) = serde_json::from_str::<Value>(text.trim()) {
            of_json(&value, 0, &mut things);
        }
    }
    for item in page.select("[itemscope]").iter().take(MOST_BLOCKS) {
        things.extend(of_item(&item));
    }
    let title = title.unwrap_or_default().to_lowercase();
    let mut shown: Vec<Thing> = Vec::new();
    things.sort_by_key(|thing: &Thing| !title.contains(&thing.name.to_lowercase()));
    for thing in things {
        let says = !thing.properties.is_empty() || thing.description.is_some();
        if says && shown.len() < MOST_THINGS && shown.iter().all(|it| it.name != thing.name) {
            shown.push(thing);
        }
    }
    shown.iter().map(markdown).collect()
}

/// What stands in the scripts of a page that are JSON-LD.
fn blocks(written: &str) -> Vec<&str> {
    // The same length, so that places in it are places in the page.
    let lower = written.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = lower.get(at..).and_then(|rest| rest.find("<script")) {
        let start = at + open;
        // What is commented out is not there.
        if let Some(comment) = lower.get(at..start).and_then(|rest| rest.find("<!--")) {
            let inside = at + comment + "<!--".len();
            let Some(end) = lower.get(inside..).and_then(|rest| rest.find("-->")) else { break };
            at = inside + end;
            continue;
        }
        let Some(end) = lower.get(start..).and_then(|rest| rest.find('>')) else { break };
        let content = start + end + 1;
        let Some(close) = lower.get(content..).and_then(|rest| rest.find("</script")) else {
            break;
        };
        let is_data = lower.get(start..content).is_some_and(|tag| tag.contains(JSON_LD));
        if is_data && found.len() < MOST_BLOCKS {
            found.extend(written.get(content..content + close));
        }
        at = content + close;
    }
    found
}

/// A sentence, and a table of one row whose first column is the name.
fn markdown(thing: &Thing) -> String {
    let mut text = String::new();
    if let Some(description) = &thing.description {
        text.push_str(&format!("\n\n{description}\n"));
    }
    if !thing.properties.is_empty() {
        let cell = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|");
        let (mut header, mut rule, mut row) =
            ("| Name |".to_owned(), "| --- |".to_owned(), format!("| {} |", cell(&thing.name)));
        for (property, value) in &thing.properties {
            header.push_str(&format!(" {} |", cell(property)));
            rule.push_str(" --- |");
            row.push_str(&format!(" {} |", cell(value)));
        }
        text.push_str(&format!("\n\n{header}\n{rule}\n{row}\n"));
    }
    text
}

/// Things at the top of a block, in its graph, or what its page is about.
fn of_json(value: &Value, deep: usize, things: &mut Vec<Thing>) {
    const DEEPEST: usize = 4;
    if deep > DEEPEST || things.len() >= MOST_BLOCKS {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| of_json(one, deep + 1, things)),
        Value::Object(object) => {
            for inner in ["@graph", "mainEntity"].iter().filter_map(|key| object.get(*key)) {
                of_json(inner, deep + 1, things);
            }
            things.extend(of_object(object));
        }
        _ => {}
    }
}

fn of_object(object: &Map<String, Value>) -> Option<Thing> {
    let kinds = match object.get("@type")? {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if kinds.is_empty() || kinds.iter().any(|kind| is_of_page(kind)) {
        return None;
    }
    let name =
        object.get("name").and_then(Value::as_str).and_then(|name| line(name, MOST_VALUE))?;
    let description = object.get("description").and_then(Value::as_str);
    let mut thing = Thing {
        name,
        description: description.and_then(|text| line(text, MOST_DESCRIPTION)),
        properties: Vec::new(),
    };
    for (property, value) in object {
        if property == "additionalProperty" {
            let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for one in all.iter().filter_map(Value::as_object) {
                let name = one.get("name").and_then(Value::as_str);
                thing.add(name.map(str::to_owned), quantity(one));
            }
        } else if property == "offers" {
            thing.add(Some("price".to_owned()), price(value));
        } else {
            thing.add(label(property), said(value));
        }
    }
    Some(thing)
}

impl Thing {
    fn add(&mut self, property: Option<String>, value: Option<String>) {
        if let (Some(property), Some(value)) = (property, value)
            && self.properties.len() < MOST_PROPERTIES
            && self.properties.iter().all(|(known, _)| *known != property)
        {
            self.properties.push((property, value));
        }
    }
}

fn is_of_page(kind: &str) -> bool {
    let kind = kind.rsplit(['/', '#', ':']).next().unwrap_or(kind).to_lowercase();
    OF_PAGES.contains(&kind.as_str())
}

/// `datePublished` as `date published`; `None` for what tells nothing.
fn label(property: &str) -> Option<String> {
    let plain = property.chars().all(|char| char.is_ascii_alphabetic());
    if !plain || property.is_empty() || IDLE.contains(&property.to_lowercase().as_str()) {
        return None;
    }
    // Numbers of shops and warehouses.
    if property.starts_with("gtin") {
        return None;
    }
    let mut label = String::new();
    for char in property.chars() {
        if char.is_ascii_uppercase() && !label.is_empty() {
            label.push(' ');
        }
        label.push(char.to_ascii_lowercase());
    }
    Some(label)
}

/// A value in words; `None` for addresses and what is no value.
fn said(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = line(text, MOST_VALUE)?;
            let is_address = text.contains("://") || text.starts_with("www.");
            // Of a moment only its day.
            let day = text.split_once('T').map(|(day, _)| day).filter(|day| is_day(day));
            (!is_address).then(|| day.map_or(text.clone(), str::to_owned))
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(holds) => Some(if *holds { "yes" } else { "no" }.to_owned()),
        Value::Array(all) => {
            let all: Vec<String> = all.iter().take(MOST_VALUES).filter_map(said).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
        Value::Object(object) if object.contains_key("value") => quantity(object),
        Value::Object(object) if object.contains_key("addressLocality") => {
            let parts = ["addressLocality", "addressRegion", "addressCountry"];
            let parts = parts.iter().filter_map(|part| said(object.get(*part)?));
            Some(parts.collect::<Vec<_>>().join(", "))
        }
        Value::Object(object) => said(object.get("name")?),
        Value::Null => None,
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A number with its unit.
fn quantity(object: &Map<String, Value>) -> Option<String> {
    let value = said(object.get("value")?)?;
    let unit = ["unitText", "unitCode"].iter().find_map(|key| object.get(*key)?.as_str());
    let unit =
        unit.map(|unit| UNITS.iter().find(|(code, _)| *code == unit).map_or(unit, |it| it.1));
    line(&format!("{value} {}", unit.unwrap_or_default()), MOST_VALUE)
}

fn price(offers: &Value) -> Option<String> {
    let offer = match offers {
        // Of several offers none is the price.
        Value::Array(all) => all.first().filter(|_| all.len() == 1)?,
        one => one,
    };
    let offer = offer.as_object()?;
    let currency = said(offer.get("priceCurrency")?)?;
    let price = said(offer.get("price")?)?;
    Some(format!("{price} {currency}"))
}

/// A thing of microdata, if it is none within another.
fn of_item(item: &Selection) -> Option<Thing> {
    let kind = item.attr("itemtype")?;
    if item.attr("itemprop").is_some() || is_of_page(kind.trim()) || !kind.contains("schema.org") {
        return None;
    }
    let mut thing = Thing::default();
    for part in item.select("[itemprop]").iter().take(4 * MOST_PROPERTIES) {
        let (Some(property), Some(node)) = (part.attr("itemprop"), part.nodes().first()) else {
            continue;
        };
        if !belongs(node, item) {
            continue;
        }
        let within = part.select_single("[itemprop='name']");
        let is_item = part.attr("itemscope").is_some();
        let text = match ["content", "datetime"].iter().find_map(|key| part.attr(key)) {
            Some(given) => given.to_string(),
            None if is_item => within.text().to_string(),
            None => part.text().to_string(),
        };
        match property.trim() {
            "name" if thing.name.is_empty() => thing.name = line(&text, MOST_VALUE)?,
            "description" => thing.description = line(&text, MOST_DESCRIPTION),
            "offers" => {
                let of = |name: &str| {
                    let part = part.select_single(&format!("[itemprop='{name}']"));
                    let content = part.attr("content").map(|it| it.to_string());
                    line(&content.unwrap_or_else(|| part.text().to_string()), MOST_VALUE)
                };
                let price = of("price").zip(of("priceCurrency"));
                thing.add(
                    Some("price".to_owned()),
                    price.map(|(price, currency)| format!("{price} {currency}")),
                );
            }
            property => thing.add(label(property), said(&Value::String(text))),
        }
    }
    (!thing.name.is_empty()).then_some(thing)
}

/// Whether a property is one of this item, and not of one within it.
fn belongs(node: &NodeRef, item: &Selection) -> bool {
    let mut parent = node.parent();
    while let Some(around) = parent {
        if around.attr("itemscope").is_some() {
            return item.nodes().first().is_some_and(|item| item.id == around.id);
        }
        parent = around.parent();
    }
    false
}

/// On one line; `None` if nothing is left or it is too long.
fn line(text: &str, most: usize) -> Option<String> {
    let text = super::super::tidy::line(text, most + 1)?;
    (text.chars().count() <= most).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, title: &str, expected: &str) {
        let found = structured(html, &Document::from(html), Some(title));
        assert_eq!(found.trim(), expected, "{html}");
    }

    fn ld(json: &str) -> String {
        format!("<script type=\"application/ld+json\">{json}</script><p>x</p>")
    }

    #[test]
    fn things_are_tables_of_their_properties() {
        let product = r#"{"@context": "https://schema.org", "@type": "Product",
            "name": "KEF LS50 Meta", "description": "The KEF LS50 Meta is a bookshelf speaker.",
            "brand": {"@type": "Brand", "name": "KEF"}, "image": "https://x.org/a.png",
            "weight": {"@type": "QuantitativeValue", "value": 7.8, "unitCode": "KGM"},
            "releaseDate": "2020-09-21T00:00:00Z", "sku": "A1", "color": ["black", "white"],
            "offers": {"@type": "Offer", "price": "1599.00", "priceCurrency": "USD"},
            "additionalProperty": [{"name": "Impedance", "value": "8", "unitText": "ohms"}]}"#;
        let table = "The KEF LS50 Meta is a bookshelf speaker.\n\n\n\
            | Name | brand | weight | release date | color | price | Impedance |\n\
            | --- | --- | --- | --- | --- | --- | --- |\n\
            | KEF LS50 Meta | KEF | 7.8 kg | 2020-09-21 | black, white | 1599.00 USD | 8 ohms |";
        check(&ld(product), "KEF LS50 Meta - Shop", table);
        check(
            &ld(&format!(r#"{{"@graph": [{{"@type": "WebSite", "name": "Shop"}}, {product}]}}"#)),
            "",
            table,
        );
        let page = format!(r#"{{"@type": "WebPage", "name": "x", "mainEntity": {product}}}"#);
        check(&ld(&page), "", table);
        check(
            "<div itemscope itemtype='https://schema.org/Person'><b itemprop='name'>Ada Lovelace</b>\
             <time itemprop='birthDate' datetime='1815-12-10'>1815</time><p itemprop='address' \
             itemscope><i itemprop='name'>London | UK</i></p><a itemprop='url' href='x'>x</a></div>",
            "",
            "| Name | birth date | address |\n| --- | --- | --- |\n| Ada Lovelace | 1815-12-10 | London \\| UK |",
        );
    }

    #[test]
    fn what_is_of_the_page_or_no_data_says_nothing() {
        for html in [
            &ld("{"),
            &ld("[]"),
            &ld("17"),
            &ld(r#"{"@type": "Product"}"#),
            &ld(r#"{"@type": "Product", "name": "A"}"#),
            &ld(r#"{"@type": "BreadcrumbList", "name": "A", "description": "A is a thing."}"#),
            &ld(r#"{"name": "A", "description": "A is a thing of no kind."}"#),
            &ld(&format!(
                "{{\"@type\": \"Product\", \"name\": \"{}\", \"color\": \"red\"}}",
                "x".repeat(500)
            )),
            &ld(&"[".repeat(5_000)),
            "<script>{\"@type\": \"Product\", \"name\": \"A\", \"color\": \"red\"}</script>",
            "<div itemscope itemtype='https://other.org/Thing'><b itemprop='name'>A</b><b itemprop='color'>red</b></div>",
        ] {
            check(html, "A", "");
        }
    }

    #[test]
    fn what_the_page_is_called_after_comes_first() {
        let things: Vec<String> = (0..6)
            .map(|n| format!(r#"{{"@type": "Product", "name": "Thing {n}", "color": "red"}}"#))
            .collect();
        let page = ld(&format!("[{}]", things.join(",")));
        let found = structured(&page, &Document::from(page.as_str()), Some("Thing 4 | Shop"));
        let names: Vec<&str> = found
            .lines()
            .filter_map(|line| line.strip_prefix("| Thing ")?.split(' ').next())
            .collect();
        assert_eq!(names, ["4", "0", "1"]);
    }
}
