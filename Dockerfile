# An image with hookrun and nothing else. The build context is the folder that tools/release.sh wrote:
#
#   docker build -f Dockerfile --build-arg VERSION=1.0.0 dist
#
# In another image: COPY --from=ghcr.io/hookrun/hookrun /hookrun /usr/local/bin/hookrun
FROM scratch AS archive
ARG VERSION TARGETOS=linux TARGETARCH=amd64 TARGETVARIANT
ADD hookrun_${VERSION}_${TARGETOS}_${TARGETARCH}${TARGETVARIANT}.tar.gz /

FROM scratch
COPY --from=archive /hookrun /LICENSE /
ENTRYPOINT ["/hookrun"]
