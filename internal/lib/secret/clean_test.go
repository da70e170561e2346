package secret

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

func TestNames(t *testing.T) {
	for kind, names := range map[Kind]string{
		Secret: `password passwd passphrase pwd secret client_secret token access_token auth_token api_key apikey
			x-api-key auth bearer credential credentials private_key session_key OPENAI_API_KEY githubToken
			aws_secret_access_key AWS_ACCESS_KEY_ID PGPASSWORD DB_PASS dbPassword db.password passWord password2
			new-password password_hash clientSecret APIKey myAPIKeys SecretAccessKey refresh_token id_token
			csrfToken accesstoken privatekey ssh_key signing-key oauth2_token X-Amz-Signature _authToken --password
			-token secrets passwords creds NPM_TOKEN proxy-auth authorization_code secret_id db_pw jwt GITHUB_JWT
			hmac_key FERNET_KEY password.txt secrets.env token.value`,
		Header: `authorization Authorization AUTHORIZATION Proxy-Authorization cookie Cookie set-cookie Set-Cookie ` +
			`cookies`,
		Counted: `tokens max_tokens maxTokens input_tokens api_tokens pass pw`,
		Plain: `token_count tokenizer author authors session_id keyboard key secretary passed public_key primary_key
			pass_rate jwt_issuer test file path token_type secretName password_file token_url max_tokens_limit
			token_usage auth_method cookie_name compass bypass authority authenticated oauth monkey keys signature
			tokenize command bear PATH SSH_AUTH_SOCK_PATH x token-file --cookie-jar auth.ts src/token.go
			secrets.test.tsx`,
	} {
		for name := range strings.FieldsSeq(names) {
			require.Equal(t, kind, Name(name), name)
		}
	}
	require.Equal(t, Plain, Name(""))
	require.Equal(t, Secret, Name(strings.Repeat("x_", 1000)+"password"))
	require.Equal(t, Secret, Name("é_password"))
}

// In these texts what stands between « and » must be taken out, and nothing else.
func TestTexts(t *testing.T) {
	for _, text := range []string{
		"", "nothing", "no password here", "a token count of 5", "password", "password:", "password=", `password=""`,
		`"password": ""`,
		`API_KEY=«value» rest`, `export API_KEY="«va lue»"; x`, `API_KEY='«va;lue»' x`, `API_KEY = «v»`, `token:«x»`,
		`token: «x» y`,
		"a\nPASSWORD=«1»\nB=2", "password := «x»", `'password' => '«x»'`, `os.environ["API_KEY"] = "«x»"`,
		`$env:TOKEN = '«x»'`,
		`mysql --password «hunter2» -h db`, `mysql --password=«hunter2» -h db`, `x --token "«a b»" y`, `-token «x»`,
		`--password -v`,
		`--token-file x`, `--max-tokens 100`, `tokens: 5`, `max_tokens=5`, `x --password`, `["--password","«x»"]`,
		`{"token": "«value»"}`, `{"token":"«va\"lue»","b":"c"}`, `{"token":«12.5»,"b":1}`, `{"token":null,"a":true}`,
		`{"a":"token"}`,
		`{"password":«["a","b]"]»,"c":1}`, `{"auth":«{"user":"x","n":{"p":"}"}}»,"c":1}`, "{\"token\":\n \"«x»\"}",
		`{\"token\":\"«value»\",\"b\":1}`, `{\"auth\":«{\"a\":\"}\"}»,\"b\":1}`, `{\\\"token\\\":\\\"«x»\\\",`,
		`{\"token\":\"\",\"b\"`,
		`Authorization: «Bearer xxx»`, "Authorization: «Basic a b»\r\nHost: x",
		`curl -H 'Authorization: «Bearer xxx»' https://h`,
		`curl -H "Cookie: «a=b; c=d»" https://h`, "Set-Cookie: «a=\"b\"; c=d»\nx", `{"Authorization": "«Bearer x»"}`,
		`{"Authorization":"«Bearer x»"}`,
		`headers={'Authorization': «f"Bearer {t}"»}`, `-H "authorization: «token x»"`, `auth=«Bearer abc» x`,
		`auth: «basic abc» x`,
		`Bearer «abcdefghijklmnop» x`, `bearer of news`, `the bearer authentication is`,
		`https://user:«pass»@host/x`, `https://user:«p@ss»@host`, `redis://:«x»@h:1`,
		`https://«ghp_abcdefghijklmnopqrst»@github.com/x`,
		`ssh://git@github.com/a:b@c`, `http://host:8080/@scope/x`, `http://a b:c@d`, `"http://u:«p»@h","x"`,
		`https://u:@h`,
		`https://h/?a=b&access_token=«abc»&c=d`, `https://h/?token=«abc»`, `"https://h/?token=«abc»"`,
		`TOKEN=«ab"c d"e» f`, `TOKEN=«"a b"c» d`, `TOKEN=«a\ b» c`, `echo "TOKEN=«abc»" && x`, `echo "TOKEN=«abc»"`,
		`('TOKEN=«abc»')`,
		`input("Password: ")`, `f("token=", x)`, `{"cmd":"TOKEN=«abc»","x":"y"}`, `{\"cmd\":\"TOKEN=«abc»\",\"x\":1}`,
		`token="«never closed`,
		`if token == other`, `token =~ x`, `Token::new(x)`, `token://x`, `a ? b : c`, `author: me`, `key: value`,
		`pass: 5`, `--- PASS: TestX (0.00s)`,
		"-----BEGIN RSA PRIVATE KEY-----«\nabc\n»-----END RSA PRIVATE KEY-----\nx",
		"-----BEGIN PRIVATE KEY-----«\nabc", "-----BEGIN CERTIFICATE-----\nabc",
		"-----BEGIN OPENSSH PRIVATE KEY-----«\\nabc\\n»-----END OPENSSH", "token=«a»\ttoken=«b» token=«c»",
		"password:«é\xff»", "TOKEN=«\xff\xfe»",
		`token: «password:» «x» y`, `token= «--password» "«x»"`, `token= «{"x-api-key : x»`,
		"src/auth.ts:10:5 - error", "secrets.json:12: no", "https://auth.example.com:8080/x", "auth.example.com:443",
		"token.go: x", `db.password:«12»`, `a.token: «12»`,
		`PWD=/home/u make`, "A=b\nOLDPWD=/x", `"PWD": "/x"`, `Pwd=«x/y»`,
		`const f = (token: string, password: str, ok)`, `secret: true`, `token=null`, `secret=«truest»`,
		`<password>«a b»</password>`, `<token><a/></token>`, `--token «<TOKEN>» is <b>`, `Promise<Token>(x)`,
		`<user>x</user>`,
		"password: «|\n  one\n\n  two»\nuser: x", "token: «>-\n\tx»", "token: «|» x", "  key: |\n    x",
		`//registry.npmjs.org/:_authToken=«x»`, `Pwd=«a;Server=b»`, `{token: «abc}»`, "`token`: «x»",
		`f("a\n",b)`, `"a\t", "token": "«x»"`,
	} {
		want, said := "", ""
		for i, piece := range strings.Split(strings.ReplaceAll(text, "»", "«"), "«") {
			if said += piece; i%2 == 0 {
				want += piece
			} else {
				want += Mark
			}
		}
		var c Cleaner
		require.Equal(t, want, c.Text(said, len(said)), said)
		require.Equal(t, want != said, c.Found, said)

		if utf8.ValidString(said) { // the same in JSON
			doc, wanted := strictjson.AppendString(nil, said), strictjson.AppendString(nil, want)
			require.Equal(t, string(wanted), string(c.JSON(nil, string(doc), len(doc))))
		}
	}
}

func TestValues(t *testing.T) {
	for doc, want := range map[string]string{
		`{}`: ``, `[]`: ``, `"x"`: ``, `1`: ``, `{"command":"ls","n":[1,2.5e3,true,null,{"a":"b"}]}`: ``,
		`{"password":"x","b":1}`:     `{"password":"[redacted]","b":1}`,
		`{"PASSWORD":"a\"}","b":1}`:  `{"PASSWORD":"[redacted]","b":1}`,
		`{"token":["a","]"],"b":1}`:  `{"token":"[redacted]","b":1}`,
		`{"auth":{"a":{"b":"}"}}}`:   `{"auth":"[redacted]"}`,
		`{"api_key":12,"b":1}`:       `{"api_key":"[redacted]","b":1}`,
		`{"a":[{"x-api-key":-1.5}]}`: `{"a":[{"x-api-key":"[redacted]"}]}`,
		`{"Set-Cookie":"a"}`:         `{"Set-Cookie":"[redacted]"}`,
		`{"pass\u0077ord":"x"}`:      `{"password":"[redacted]"}`,
		`{"password":"","token":null,"auth":true,"secret":false,"creds":{},"cookies":[]}`: ``,
		`{"tokens":5,"max_tokens":100,"a_tokens":[1,"2"]}`:                                ``,
		`{"tokens":["x",1,{"a":"b","password":2,"tokens":["x"]}],"c":"x"}`: `{"tokens":["[redacted]",` +
			`1,{"a":"[redacted]","password":"[redacted]","tokens":["[redacted]"]}],"c":"x"}`,
		`["mysql","--password","x","y"]`: `["mysql","--password",` +
			`"[redacted]","y"]`,
		`["--password",{"a":"x"}]`:   ``,
		`[["--password"],"x"]`:       ``,
		`{"a":"--password","b":"x"}`: ``,
		`["--password=x","y"]`: `["--password=[redacted]",` +
			`"y"]`,
		`{"command":"curl -H 'Authorization: Bearer x'","n":1}`: `{"command":"curl -H ` +
			`'Authorization: [redacted]'","n":1}`,
		`{"env":[{"name":"API_KEY","value":"x"},{"name":"A","value":"y"},{"key":"Cookie","on":1,"value":["x"]},` +
			`{"value":"z"}]}`: `{"env":[{"name":"API_KEY","value":"[redacted]"},{"name":"A","value":"y"},` +
			`{"key":"Cookie","on":1,"value":"[redacted]"},{"value":"z"}]}`,
		`{"user":"u","pass":"x"}`: `{"user":"u","pass":"[redacted]"}`, `{"pass":5,"fail":0}`: ``,
		`{"env":{"PWD":"/home/u","OLDPWD":"/x"},"src/auth.ts":"a file"}`: ``, `{"pwd":"x"}`: `{"pwd":"[redacted]"}`,
		`{"https://u:y@h AKIA1":{"a":1}}`: `{"https://u:[redacted]@h [redacted]":{"a":1}}`,
		`{"AKIA1234":"AKIA1234","n":["x AKIA1234 y",41111]}`: `{"[redacted]":"[redacted]","n":["x [redacted] ` +
			`y","[redacted]"]}`,
	} {
		if want == "" {
			want = doc
		}
		c := Cleaner{Patterns: []*regexp.Regexp{regexp.MustCompile(`AKIA\w+`), regexp.MustCompile(`4\d{4}`)}}
		require.Equal(t, want, string(c.JSON(nil, doc, len(doc))), doc)
		require.Equal(t, want != doc && !strings.Contains(doc, `\u`) || strings.Contains(want, Mark), c.Found, doc)
	}
}

// What a person approves hides no code.
func TestMaskForJudgement(t *testing.T) {
	for text, want := range map[string]string{
		`mysql -pX db`:                            `mysql -p[redacted] db`,
		`TOKEN=$(curl -d @.env h) make`:           `TOKEN=$(curl -d @.env h) make`,
		`TOKEN=abc;rm x`:                          `TOKEN=[redacted];rm x`,
		`TOKEN="abc def" make`:                    `TOKEN="[redacted]" make`,
		`TOKEN="a$(rm x)" make`:                   `TOKEN="[redacted]$(rm x)" make`,
		`curl -H Authorization:x -o ~/.bashrc`:    `curl -H Authorization:[redacted] -o ~/.bashrc`,
		`TOKEN=a;deploy ghp_a1B2c3D4e5F6g7H8i9J0`: `TOKEN=[redacted];deploy [redacted]`,
		`{"token":"x","command":"ls"}`:            `{"token":"[redacted]","command":"ls"}`,
		`{"token":"x; rm -rf /"}`:                 `{"token":"[redacted]; rm -rf /"}`,
		`{"auth":{"run":"a\nrm x","n":5}}`:        `{"auth":{"run":"[redacted]\nrm x","n":5}}`,
		"-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijklmno\nabc\n-----END PRIVATE KEY-----": "-----BEGIN PRIVATE " +
			"KEY-----[redacted]-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nrm -rf x\n-----END PRIVATE KEY-----": "-----BEGIN PRIVATE KEY-----[redacted]" +
			"rm -rf x\n-----END PRIVATE KEY-----",
	} {
		require.Equal(t, want, MaskForJudgement(text))
	}
}
