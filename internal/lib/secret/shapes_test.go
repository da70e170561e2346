package secret

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// random returns letters and digits as a key has them.
func random(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return "a1B2c3D4" + b.String()[min(n, 8):]
}

// In these texts the part between « and » is hidden, in a text and in JSON, and no other part.
func TestForms(t *testing.T) {
	requireHidden(t,
		`mysql -u root -p«hunter2» db`, `mysql -p '«a b»' db`, `mysql -uroot -p «hunter2» db`,
		`mysqldump -h db -p"«x;y»" all > f`, `sudo /usr/bin/mysql -p«X»`, `make -p X`, `ls -p x`, `mkdir -p a/b`,
		`docker run -p 8080:80 x`, `docker login -u me -p «hunter2» h`, `ssh -p 22 h`, `mysql --protocol tcp`,
		`sshpass -p «hunter2» ssh -p 22 h`, `sshpass -p«hunter2» ssh h`, `sshpass -p '«a b»' ssh h`,
		`curl -u me:«hunter2» https://h/x`, `curl -sSu me:«p» h`, `curl --user me:«p» h`, `curl --user=me:«p» h`,
		`curl -u me h`, `curl https://a.example/x -u "me:«p q»"`, `docker run -u 1000:1000 x`, `curl -ume:«p» h`,
		`curl -b session=«X» h`, `curl -b jar.txt h`, `redis-cli -h h -a «hunter2» ping`, `ls -a x`, `zip -P «x» a b`,
		`ldapsearch -D cn=a -w «hunter2» -b dc=x`, `smbclient -U me%«hunter2» //h/s`, `grep -w x y`, `7z x -p«X» a.7z`,
		`openssl enc -aes-256-cbc -k «X» -in a`, `openssl req -key a.key -keyout b`, `openssl rsa -passin «pass:X»`,
		`openssl x -pass «pass:X» -in y`, `htpasswd -cb f me «hunter2»`, `ssh-keygen -N «X» -f k`, `plink -pw «X» h`,
		`echo «hunter2» | sudo -S ls`, `echo "me:«hunter2»" | chpasswd`, `echo a | sudo ls`,
		`printf '%s' "«a b»" | docker login --password-stdin`, `gh auth login --with-token <<< «abc»`,
		`PGPASSWORD=«hunter2» psql -h db`, `MYSQL_PWD=«x» mysql`, `STRIPE_KEY=«abc» x`, `export FOO_KEY=«abc»`,
		`PUBLIC_KEY=abc`, `sort_key=abc`, `aws configure set aws_secret_access_key «abc»`, `set -x API_TOKEN «abc»`,
		`machine h login me password «abc»`, `the password was reset`, `no token found`, `API_TOKEN «a1b2c3d4e5»`,
		`https://«ghp_a1B2c3D4e5F6g7H8i9J0»@github.com/x`, `https://«a1b2c3d4e5»@h/x`, `https://user@h/x`,
		`git push https://x-access-token:«${T}»@h/r x`, `a://«dckr_pat_a1B2c3D4e5F6g7H8i9»:«x»@h`,
		`git clone https://oauth2:«x»@h/r`, `postgres://u:«p»@h:5432/d`, `mongodb+srv://u:«p»@h/?w=1`, `amqp://u:«p»@h`,
		`redis://:«p»@h:6379/0`, `Server=db;User Id=sa;Password=«X;Database=d»`, `AccountKey=«aB/+c==»`,
		`curl "https://h/?sv=2&sig=«aB%2F»"`, `https://h/x?key=«abc»&a=b`, `x?key`,
		`Authorization: «Basic dXNlcjpwYXNz»`,
		`Basic «dXNlcjpwYXNzd29yZA==» x`, `basic authentication`, `BASIC install`, `bearer «a1b2c3d4e5f6g7h8»`,
		`bot 123456789:«AAa1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g» x`, `a12:AAx`,
		`«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl», x`, `eyJhbGciOiJIUzI1NiJ9IHRoaXMgaXMgYmFzZTY0IG9m`,
		`«a1B2c3D4e5F6g7.atlasv1.a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0» x`, `sk-learn`,
		`task-force-is-long-enough-1`,
		`a\n`+"«AKIAZ7QPLM3XK2WD9RTB» x", "\x1b[31m«AKIAZ7QPLM3XK2WD9RTB»\x1b[m",
		`x%20«AKIAZ7QPLM3XK2WD9RTB»`, `xAKIAZ7QPLM3XK2WD9RTB`, `AKIAZ7`,
		`begins with «ghp_a1B»… and`, `"begins with «ghp_a1B»"… and`, `xs-…`,
		`password: «hunter2»`, `"private_key": "«-----BEGIN PRIVATE KEY-----\nMIIE\n»"`,
		`https://«hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/a1B2c3D4e5F6g7H8i9J0»`, `https://hooks.slack.com/x`,
	)
}

// The rules of packs read escapes of JSON, so Mask does.
func TestEscapes(t *testing.T) {
	require.Equal(t, "a [redacted] b", Mask(`a \u0041KIAZ7QPLM3XK2WD9RTB b`))
	require.Equal(t, `a \u00e9 b`, Mask(`a \u00e9 b`))
}

// Every shape is found wherever it can stand, and no character of the key stays.
func TestEveryShape(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := 0
	for _, shapes := range known.Get().shapes {
		for _, k := range shapes {
			count++
			key := k.begin + random(r, k.least+4)
			if k.begin == webToken {
				key += "." + random(r, 20)
			}
			for _, format := range []string{"%s", "a %s b", "x\n%s\n", `{"a":"%s"}`, `"%s"`, "(%s)", "a=%s;", `\n%s`,
				"\x1b[1;31m%s\x1b[0m", "%%20%s", "https://h/?x=%s&y=z", `{\"a\":\"%s\"}`, "a/%s"} {
				text := fmt.Sprintf(format, key)
				require.NotContains(t, Mask(text), key[len(k.begin):], text)
				require.Equal(t, Mask(text), Mask(Mask(text)))
			}
		}
	}
	require.Greater(t, count, 140)
}

func requireHidden(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		want, said := "", ""
		for i, piece := range strings.Split(strings.ReplaceAll(text, "»", "«"), "«") {
			if said += piece; i%2 == 0 {
				want += piece
			} else {
				want += Mark
			}
		}
		if got := Mask(said); got != want {
			t.Errorf("\n%s\n%s is not\n%s", said, got, want)
		}
		if got := Mask(want); got != want {
			t.Errorf("again:\n%s is not\n%s", got, want)
		}
	}
}
