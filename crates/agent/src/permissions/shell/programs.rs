//! Programs and variables by name: data.

/// Names, parted by blanks.
pub struct Names(&'static str);

impl Names {
    pub const fn new(names: &'static str) -> Self {
        Self(names)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|one| one == name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.split_whitespace()
    }
}

/// They give rights that the user did not.
pub const PRIVILEGE: Names = Names(
    "\
    calife capsh doas gksu gksudo gosu kdesu newgrp pkexec please run0 runuser setcap setpriv
    sg su su-exec sudo sudoedit sux visudo",
);

/// They change the machine: disks, power, kernel, users, mounts, network, services.
pub const MACHINE: Names = Names(
    "\
    aa-disable addgroup adduser anacron at atq atrm auditctl badblocks batch blkdiscard
    blockdev bootctl bpftool btrfs cfdisk chattr chcon chfn chkconfig chpasswd chsh crontab
    cryptsetup csrutil dc3dd dcfldd ddrescue debugfs defaults delgroup deluser depmod diskutil
    dmesg dmsetup dscl e2fsck efibootmgr fdisk firewall-cmd format fsck fstrim fusermount
    fusermount3 gdisk gpart gpasswd groupadd groupdel groupmod grub-install halt hdiutil
    hdparm hostnamectl ifconfig init initctl insmod ip ip6tables iptables kexec kextload
    killall5 kldload kmod launchctl ldconfig localectl loginctl losetup lvcreate lvremove
    mdadm mkdosfs mke2fs mkfs mkntfs mkswap modprobe mount mt newfs newfs_apfs newusers nft
    nmcli nvme nvram parted partprobe passwd pfctl pivot_root pm-suspend poweroff pvcreate
    pvremove rc-service rc-update reboot resize2fs rmmod route rtcwake scrub sdparm security
    semanage service setenforce setfacl sfdisk sg_format sgdisk shred shutdown spctl srm sshfs
    swaplabel swapoff swapon sysctl systemctl systemd-run systemd-tmpfiles tc telinit
    timedatectl tmutil tune2fs ufw umount update-alternatives update-grub update-rc.d useradd
    userdel usermod vgcreate vgremove vigr vipw wall wipe wipefs xfs_db xfs_repair zfs zpool",
);

/// They run code or other programs in ways that are not judged.
pub const OPAQUE: Names = Names(
    "\
    7z 7za abduco age aider alacritty amm ansible ansible-playbook apk apt apt-get aptitude ar
    aria2c asdf aspell at-spi autoload autossh aws axel az bat batcat bb bc bind borg bpftrace
    bpython bq brew bsdtar buildah bun bunx busctl busybox bw bwrap byobu caller cargo-install
    cdk cgexec chamber chef chicken choom chpst chronic chroot chrt claude clisp clj clojure
    clush cmd cobc code codesign codex coffee compgen complete compopt compose composer conda
    convert coproc corepack cowsay cowthink cpan cpanm cpio cpp crash createuser crictl crun
    cryptcat cscope csh csi ctags ctr cursor d8 daemon dbus-send dc deno detach dialog dig
    direnv disable distrobox dlx dmsetup dnf docker docker-compose doctl dosbox dotenv
    dotnet-script dpkg dpkg-deb dpkg-divert dpkg-reconfigure dpkg-statoverride dropdb dropuser
    dsh dtach dtrace dtruss duplicity dvips dyalog easy_install easyrsa ecl ed edit editor
    eksctl elfedit elinks elixir elophanto elvish emacs emacsclient emerge emulate enable entr
    eqn erb erl es escript espeak ex exiftool expect fab facter factor fakechroot fakeroot fc
    ffmpeg finger firebase firejail fish flatpak flock flyctl forever fsi fswatch ftp fuser
    fzf gcc-ar gcloud gcore gdb gdbus gem gemini genie gforth gh ghc ghci gimp ginsh gio gitk
    gitui glab gnome-terminal gnuplot goose gopass gosh gp gpg gpg2 grc groff groovy gs gsutil
    guile guix gvim hash helix helm heroku history host hping3 http httpie https hub hx
    hyperfine i386 idl iex ifdata ifne incus info initdb inotifywait install_name_tool io ion
    ipython ipython3 irb ispell j janet jcmd jdb jed jmap joe jrb jruby jrunscript jsc jshell
    julia jython k3s kak keyctl keyring kfmclient killall kinit kitty knife konsole kubectl
    latex latexmk lazygit lckdo ld-linux-aarch64.so.1 ld-linux-x86-64.so.2 ld-linux.so
    ld-musl-x86_64.so.1 ld.so ldapsearch lein less lessecho lesspipe lftp links linux32
    linux64 livescript lldb llm loadkeys logrotate logsave lpass ltrace lua5 luajit lualatex
    luarocks luatex lxc lxc-attach lxd lxterminal lynx m4 machinectl magick mail mailx
    makeself mamba man masscan matlab maxima mcedit micro micromamba minikube mise mispipe
    mit-scheme mkfifo mknod mongo mongosh mono more mosh most mplayer mpv msgattrib msgfilter
    msmtp multipass multitime murex mutt mysqladmin nano nc nc.openbsd nc.traditional ncat
    ncftp nerdctl netcat netlify newuidmap ngs nix nix-build nix-env nix-shell nmap nocorrect
    nodejs-repl noglob npx nroff nsenter nslookup ntpdate nu numactl nushell nvim nvm objcopy
    oc ocaml octave oil ollama op open opencode openssl opkg osascript osh osqueryi pacman
    pager parallel pass patch patchelf pax pbcopy pdb pdflatex pdftex pdsh peco pee perf pexec
    pg pg_ctl pg_dumpall pg_restore php-cgi phpdbg pic pico pidstat pipx pkcon pkg pkgin pkill
    pkttyagent plymouth pm2 podman podman-compose port powershell print prlimit proot pry
    psexec psh psysh ptpython pulumi puppet pwsh pypy pypy3 qdbus qemu qemu-system-x86_64 qjs
    r racket rails rake rar rbash rbenv-exec rc rclone rdiff-backup red redis-cli regina
    reptyr restic rexec rexx rhino ripmime rksh rlogin rlwrap rpm rpm2cpio rpmdb rpmquery
    rpmverify rscript rsh rtorrent run-mailcap run-parts runc runcon rundll32 runghc
    runhaskell runit rview rvim rvm s3 s3cmd s6-svc sage salt sam sbcl scala sched schedtool
    scheme scp screen script scriptreplay scsh secret-tool see select-editor sem sendmail
    sensible-editor sensible-pager setarch setfattr setlock sftp shar sk skill slapd slsh
    smbclient sml snap snapctl snice socat softlimit sops splain sqlmap ssconvert ssh ssh-add
    ssh-agent ssh-copy-id ssh-keygen sshd sshpass stap star start-stop-daemon strace subl
    supervisorctl sv swaks swipl sysdig systemd-inhibit systemd-nspawn systemtap taskset
    tasksh tclsh tcpdump tcsh tdbtool telnet terraform tex texlua tftp tig timedatectl tmate
    tmux tofu toolbox toybox trace-cmd troff ts-node tset tshark tsx uidmap ul unbuffer unison
    unrar unshar unshare unzip update-mime utop uudecode uvx vagrant valgrind vared
    varnishncsa vault vercel vi vidir view vim vimdiff vimtutor vipe virsh vlock volatility
    w3m watch watchexec whiptail whois wine wireshark wish wl-copy wrangler wsl
    x-terminal-emulator x86_64 xattr xbps-install xclip xdg-open xdotool xelatex xetex xh
    xkill xonsh xsel xterm yelp ypserv ysh yum zathura zcompile zellij zip zless zmodload zrun
    zsoelim zypper",
);

/// They run what the work tree says.
pub const BUILDERS: Names = Names(
    "\
    bazel bmake c++ cabal cargo cc clang clang++ cmake ctest dotnet eslint g++ gcc gmake go
    gradle hatch jest just make meson mix mvn ninja nox npm pip pip3 pnpm poetry pre-commit
    pytest rustc scons stack swift tox tsc uv vitest xcodebuild yarn zig",
);

/// They write the files that their arguments name.
pub const WRITERS: Names = Names(
    "\
    bunzip2 bzip2 chgrp chmod chown compress cp csplit ditto dos2unix fallocate gunzip gzip
    iconv install link lz4 mkdir mktemp mmv mv prename rename rmdir rsync shuf split sponge
    symlink tar tee touch truncate uncompress unix2dos unlink unxz unzstd xz zstd",
);

/// They print their arguments or compare them; nothing they are given makes them do more.
pub const PRINTERS: Names = Names(
    ": basename break continue dirname echo exit expr false return seq shift sleep true wait",
);

/// They fetch from the network.
pub const FETCHERS: Names = Names("curl fetch wget wget2");

/// Variables that decide which code runs.
pub const VARIABLES: Names = Names(
    "\
    AR AWKLIBPATH AWKPATH BASHOPTS BROWSER BUNDLE_GEMFILE CC CDPATH CFLAGS CLASSPATH COMSPEC
    CURL_HOME CVS_RSH CXX CXXFLAGS DISPLAY EDITOR EMACSLOADPATH ENV EXECIGNORE EXINIT FCEDIT
    FIGNORE FPATH FZF_DEFAULT_COMMAND GCONV_PATH GEM_HOME GEM_PATH GLOBIGNORE GNUMAKEFLAGS
    GOFLAGS GREP_OPTIONS HISTFILE HOME HOSTALIASES IFS INFOPATH INPUTRC KUBECONFIG LD LDFLAGS
    LOCPATH LUA_CPATH LUA_INIT LUA_PATH MAIL MAILPATH MAKEFILES MAKEFLAGS MAKESHELL
    MALLOC_TRACE MANOPT MANPAGER MANPATH MYSQL_HOME NLSPATH NODE_OPTIONS NODE_PATH OLDPWD
    OPENSSL_CONF PAGER PATH PGSERVICEFILE PHPRC PHP_INI_SCAN_DIR POSIXLY_CORRECT
    PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 PSQLRC PWD RESOLV_HOST_CONF RIPGREP_CONFIG_PATH
    RSYNC_RSH RUSTC SHELL SHELLOPTS SSH_ASKPASS SUDO_ASKPASS TAR_OPTIONS TCLLIBPATH TERMCAP
    TERMINFO TERM_PROGRAM TIMEFORMAT TMPDIR VIMINIT VISUAL WGETRC XDG_CONFIG_DIRS
    XDG_CONFIG_HOME XDG_DATA_HOME ZDOTDIR",
);

/// Beginnings of names of such variables.
pub const VARIABLE_PREFIXES: Names = Names(
    "\
    ALL_PROXY ANSIBLE BASH CARGO COMPILER_ COR DOCKER DOTNET DYLD_ ELOPHANTO GCC_ GIT_ GNUPG
    GPG GRADLE HTTP JAVA JDK_ KRB5 LD_ LESS MAKE MAVEN NODE_ NPM_ PERL PIP_ PYTHON RUBY RUST
    SSH_ SYSTEMD UV_ YARN_ ZSH _JAVA all_proxy http_ https_ npm_",
);

/// Shells whose text is read as this line is.
pub const SHELLS: Names = Names("sh bash dash zsh ksh ksh93 mksh ash pdksh yash lksh oksh");

/// They run a file of code, or code that is given to them.
pub const INTERPRETERS: Names = Names("python pypy perl ruby node nodejs php lua java");
