# docker build -t carina . && docker run --rm -v "$PWD:/data" carina run lung.yaml
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN go build -trimpath -o /carina ./cmd/carina && bash scripts/demo.sh /carina /tmp/demo

FROM debian:bookworm-slim
COPY --from=build /carina /usr/local/bin/carina
WORKDIR /data
ENTRYPOINT ["carina"]
