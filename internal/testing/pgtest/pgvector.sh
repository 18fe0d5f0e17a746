#!/bin/sh
# Fetches PostgreSQL 17 with pgvector, as Debian 13 has them, into a folder, for a Debian
# that has none: 700 MB in a minute or two, as root. The programs run without a chroot, with
# the C library beside them: each becomes a script that says so.
set -eu
dir=$1
bin=usr/lib/postgresql/17/bin
command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap; }
rm -rf "$dir" "$dir.part"
debootstrap --variant=minbase --include=postgresql-17,postgresql-17-pgvector trixie "$dir.part" >/dev/null
for program in initdb postgres; do
	mv "$dir.part/$bin/$program" "$dir.part/$bin/$program.bin"
	cat >"$dir.part/$bin/$program" <<-END
		#!/bin/sh
		exec "$dir/lib64/ld-linux-x86-64.so.2" --argv0 "$dir/$bin/$program" \\
			--library-path "$dir/usr/lib/x86_64-linux-gnu" "$dir/$bin/$program.bin" "\$@"
	END
	chmod 755 "$dir.part/$bin/$program"
done
mv "$dir.part" "$dir"
