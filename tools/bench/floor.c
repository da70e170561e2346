/* The floor of a hook: what the system charges for a process. For each line on stdin it runs the program that its arguments
 * name, by posix_spawn and waitpid, and prints how many nanoseconds that took.
 *
 *	cc -O2 -o floor floor.c && yes | head -1000 | ./floor /bin/true
 */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc < 2) {
		fprintf(stderr, "usage: floor PROGRAM [ARGS]\n");
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		pid_t pid;
		int status;
		long long begin = now();

		if (posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, environ) != 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		printf("%lld\n", now() - begin);
		fflush(stdout);
	}
	return 0;
}
