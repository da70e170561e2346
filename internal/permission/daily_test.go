package permission

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// daily are harmless lines with launchers and interpreters, as agents write them.
var daily = strings.Split(strings.TrimSpace(`
rtk git status
rtk git push origin main
rtk grep "git push --force" docs
uv run pytest -q
uv run --with ruff ruff check .
uv run python -m pytest -k "push and force"
uv run python scripts/build.py --force
uv run -m http.server
uv pip install -e .
uv sync --frozen
uv tool run ruff format --check src
uvx --from "huggingface_hub[cli]" hf download x
uvx black .
mise exec -- go test ./...
mise exec node@20 -- npm test
mise x -- make build
mise install
mise run lint
npx -y create-vite app --template react
npx prettier --write "src/**/*.ts"
npx --yes tsc --noEmit
npx playwright test --project=chromium
npx --odd x eslint .
npx -c "eslint . && tsc"
npm exec -- vitest run
npm run build -- --force
npm test
npm install --force
npm --prefix web run lint
npm ci && npm run build
pnpm exec tsc -p .
pnpm -r exec rm -f tsconfig.tsbuildinfo
pnpm dlx shadcn@latest add button
pnpm --filter web build
pnpm install --force
yarn exec jest
yarn dlx turbo run build
yarn run lint --fix
yarn workspace web add react
bunx tsc --noEmit
bun x eslint .
bun run build
bun test
bun install
bun index.ts
bun -e 'console.log(1)'
poetry run pytest
poetry run python manage.py migrate
poetry -C app run mypy .
poetry install
pipx run black .
pipx install ruff
pipenv run flake8
hatch run test:cov
hatch build
rye run dev
pdm run start
conda run -n ml python train.py --force
conda run -n ml --no-capture-output pytest
conda activate ml
direnv exec . make test
bundle exec rspec spec/models
bundle exec rails db:migrate
bundle install
docker run -it --rm ubuntu bash
docker run -it --weird x ls
docker run --unknown-option foo alpine ls
docker run --rm -v "$PWD":/src -w /src golang:1.26 go build ./...
docker run --rm -v $PWD:/src -v $HOME/.cache:/cache node:22 npm ci
docker run --rm -u $(id -u):$(id -g) -v $(pwd):/w -w /w alpine ls
docker run -d --name db -e POSTGRES_PASSWORD=x -p 5432:5432 postgres:17
docker run --rm --entrypoint sh alpine -c "echo hi"
docker run --rm alpine sh -c "apk add git && git --version"
docker run --gpus all --ipc=host --ulimit memlock=-1 nvcr.io/x python -c "import torch; print(torch.cuda.is_available())"
docker exec web ls /app
docker exec -it web bash
docker exec -it web sh
docker exec $CONTAINER cat /etc/os-release
docker exec -i db psql -U app < dump.sql
docker exec web sh -c "cd /app && npm test"
docker ps -q | xargs docker stop
docker ps -aq | xargs -r docker rm -f
docker images -q | xargs docker rmi --force
docker build -t app --build-arg FORCE=1 .
docker compose up -d --force-recreate
docker compose run --rm app pytest
docker compose exec -T web python manage.py check
docker compose -f docker-compose.yml -f dev.yml logs --tail 50
docker-compose exec db psql -c "select 1"
docker push registry/app:latest
podman run --rm -it fedora ls
podman exec web id
kubectl exec -it pod -- bash
kubectl exec -n prod deploy/web -c app -- env
kubectl exec $POD -- ls -la
kubectl exec -it $(kubectl get pod -o name | head -1) -- sh
kubectl get pods -A -o wide
kubectl delete pod web-0 --force --grace-period=0
kubectl get pods -o name | xargs kubectl delete
kubectl run tmp --rm -it --image=busybox -- wget -qO- http://x
kubectl apply -f k8s/
oc exec pod -- date
ssh host uptime
ssh host
ssh -i ~/.ssh/id deploy@host "cd /srv/app && git pull && systemctl restart app"
ssh $HOST "cd $DIR && git status"
ssh -o StrictHostKeyChecking=no "$USER@$HOST" 'tail -n 100 /var/log/app.log | grep ERROR'
ssh host "docker ps --format '{{.Names}}'"
ssh host 'for i in 1 2 3; do echo $i; done'
ssh -N -L 8080:localhost:80 host
cat hosts | xargs -I{} ssh {} uptime
for h in a b c; do ssh "$h" uptime; done
ssh host <<'E'|cd /srv|git pull|E
scp a host:/tmp
proxychains4 -q curl https://example.com
torsocks curl https://example.com
chroot /mnt ls
chroot /mnt /bin/bash
unshare -r id
flock -n /tmp/lock make deploy
flock /tmp/lock -c "make test"
parallel -j4 gzip ::: a b c
ls *.png | parallel convert {} {.}.jpg
ls *.go | entr -c go test ./...
watchexec -e rs -- cargo check
hyperfine --warmup 3 "grep -r foo ." "rg foo"
strace -f -e trace=openat ls
ltrace ls
gdb --args ./app --force
gdb -batch -ex run -ex bt --args ./app
valgrind --leak-check=full ./app
perf stat -e cycles ls
perf record -g ./bench
taskset -c 0 ./bench
systemd-run --user --scope make -j8
xvfb-run -a npm run e2e
faketime '2024-01-01' date
caffeinate -i make
sudo -u postgres psql -c "select 1"
sudo -u "$USER" ls
sudo apt-get install -y git
sudo -E env "PATH=$PATH" make install
sudo --odd ls
gosu app ls
setpriv --reuid=1000 ls
runuser -u app -- ls
fakeroot make package
dotenv -e .env -- npm start
op run --env-file=.env -- make deploy
aws-vault exec prod -- aws s3 ls
doppler run -- npm start
env-cmd -f .env npm start
cross-env NODE_ENV=production webpack
nix run nixpkgs#hello
nix develop -c make
nix shell nixpkgs#jq -c jq . x.json
nix-shell -p jq --run "jq . x.json"
devbox run test
timeout 60 npx playwright test
timeout 5 docker exec web ls
time uv run pytest
nohup npm start &
tmux new-session -d -s dev "npm run dev"
python3 -c 'print(1)'
python3 -c "import sys, json; print(json.load(sys.stdin)['force'])"
python -c "import os; print(os.environ.get('$NAME'))"
python3 -c "print($x)"
python3 -m venv .venv
python3 -m pytest -q
python3 -m json.tool < x.json
python3 -m pip install --force-reinstall x
python3 x.py --force push
python3 "$SCRIPT" --force
python3 -V
python3 - <<'E'|import json|print(json.dumps({'a': 1}))|E
cat x.json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))'
ls *.py | xargs python3
python3.12 -W error -c 'import x'
pip install --force-reinstall x
ipython -c 'print(1)'
node -e 'console.log(process.version)'
node -p 'require("./package.json").version'
node --max-old-space-size=4096 build.js --force
node --test
node script.mjs push --force
node --input-type=module -e 'import fs from "fs"; fs.rmSync("dist", {recursive: true, force: true})'
git log --format=%s | node -e 'process.stdin.pipe(process.stdout)'
perl -pi -e 's/push/pull/g' README.md
perl -ne 'print if /force/' x
perl -i.bak -pe 's/a/b/' x
ruby -e 'puts 1'
ruby -Itest test/a_test.rb
php -r 'echo phpversion();'
php artisan migrate --force
php -S localhost:8000
awk '{print $1}' x
awk -F: '/git push --force/ {print NR}' docs/x.md
awk "/$x/ {n++} END {print n}" f
git status --short | awk '{print $2}'
awk 'BEGIN{system("date")}'
lua -e 'print(1)'
deno run -A main.ts
deno eval 'console.log(1)'
deno task build
Rscript -e 'sessionInfo()'
osascript -e 'display notification "done"'
julia --project=. -e 'using Pkg; Pkg.test()'
vim -c ':q' x
$EDITOR file
$EDITOR README.md
"$EDITOR" notes.txt
$PAGER x.log
$PYTHON script.py --force
$CC -O2 -o a a.c
"$(command -v python3)" x.py
"$VENV/bin/python" x.py --force
make push
just deploy --force
bash <<'E'|git push origin main|E
bash -s <<'E'|ls|E
bash <<< 'git status'
bash < setup.sh
ssh host 'bash -s' < deploy.sh
docker exec -i web sh < setup.sh
find . -name '*.go' -exec gofmt -l {} +
find . -name '*.py' -exec python3 {} ';'
git ls-files | xargs npx prettier --check
git commit -m "docker run git push --force"
echo "python3 -c git push --force"
grep -rn "git push --force" .
let x=1
`), "\n")

// TestDailyLines holds rules against harmless lines: none may be held up.
func TestDailyLines(t *testing.T) {
	require.Greater(t, len(daily), 150)
	var held []string
	for _, line := range daily {
		if strings.Contains(line, "<<'") {
			line = strings.ReplaceAll(line, "|", "\n")
		}
		for _, rule := range []string{"shell(git push --force*)", "shell(rm -rf*)"} {
			if got, why := Parse(rule).Match(projectLine(t, line)); got {
				held = append(held, line+": "+rule+" "+why)
			}
		}
	}
	require.Empty(t, held, strings.Join(held, "\n"))
}
