#!/bin/sh
cat >/dev/null
echo '{"hook_errors": ["from one.sh"]}'
