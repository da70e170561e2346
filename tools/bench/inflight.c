/* Calls a second of a server that answers one line with one line, with many in flight, and of the floor beside it: as many
 * threads that each run the program by posix_spawn, with a pipe on each of its three streams, and wait for it.
 *
 *	cc -O2 -pthread -o inflight inflight.c
 *	./inflight 8 2400 PROGRAM REQUEST SERVER [ARGS]
 *
 * REQUEST is a request whose id is %d. Prints calls and spawns a second: first the server, then the floor.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static char *program[2];
static int each;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* start runs argv with pipes on the first n of its streams, and puts our ends into ours. */
static pid_t start(char **argv, int n, int *ours)
{
	posix_spawn_file_actions_t actions;
	int ends[3][2];
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < n; i++) {
		if (pipe2(ends[i], O_CLOEXEC))
			die("pipe2");
		posix_spawn_file_actions_adddup2(&actions, ends[i][i == 0 ? 0 : 1], i);
		ours[i] = ends[i][i == 0 ? 1 : 0];
	}
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		die(argv[0]);
	posix_spawn_file_actions_destroy(&actions);
	for (int i = 0; i < n; i++)
		close(ends[i][i == 0 ? 0 : 1]);
	return pid;
}

static void *spawner(void *unused)
{
	char buffer[4096];

	for (int i = 0; i < each; i++) {
		int ours[3];
		pid_t pid = start(program, 3, ours);

		if (write(ours[0], "{}\n", 3) < 0) {
		}
		close(ours[0]);
		for (int j = 1; j < 3; j++) {
			while (read(ours[j], buffer, sizeof buffer) > 0)
				;
			close(ours[j]);
		}
		waitpid(pid, NULL, 0);
	}
	return unused;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 20];
	pthread_t threads[64];
	int ours[3], flight, calls, sent = 0, answered = 0;
	double begin, served, spawned;
	pid_t pid;

	if (argc < 6) {
		fprintf(stderr, "usage: inflight IN-FLIGHT CALLS PROGRAM REQUEST SERVER [ARGS]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	flight = atoi(argv[1]) < 64 ? atoi(argv[1]) : 64;
	calls = atoi(argv[2]);
	program[0] = argv[3];
	pid = start(argv + 5, 2, ours);
	begin = now();
	while (answered < calls) {
		ssize_t n;

		while (sent < calls && sent - answered < flight) {
			int length = snprintf(buffer, sizeof buffer, argv[4], sent++);

			buffer[length++] = '\n';
			if (write(ours[0], buffer, length) != length)
				die("writing a request");
		}
		if ((n = read(ours[1], buffer, sizeof buffer)) <= 0)
			die("reading an answer");
		for (ssize_t i = 0; i < n; i++)
			answered += buffer[i] == '\n';
	}
	served = calls / (now() - begin);
	close(ours[0]);
	waitpid(pid, NULL, 0);
	each = calls / flight;
	begin = now();
	for (int i = 0; i < flight; i++)
		pthread_create(&threads[i], NULL, spawner, NULL);
	for (int i = 0; i < flight; i++)
		pthread_join(threads[i], NULL);
	spawned = flight * each / (now() - begin);
	printf("%.0f %.0f\n", served, spawned);
	return 0;
}
