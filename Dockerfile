# The artifact in a container: `docker build -t judge-uncertainty .`, then
# `docker run --rm --network none -v "$PWD/out:/out" judge-uncertainty reproduce --out /out/artifact`.
# The base images are named by digest at the time of a release; until then by the version that the project is built with.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked && strip target/release/judge-uncertainty

FROM debian:bookworm-slim
COPY --from=build /source/target/release/judge-uncertainty /opt/judge-uncertainty/judge-uncertainty
COPY --from=build /source/data /opt/judge-uncertainty/data
COPY --from=build /source/LICENSE /source/LICENSE-MIT /source/LICENSE-APACHE /source/README.md /opt/judge-uncertainty/
RUN ln -s /opt/judge-uncertainty/judge-uncertainty /usr/local/bin/judge-uncertainty && useradd --create-home reviewer
USER reviewer
WORKDIR /home/reviewer
ENTRYPOINT ["judge-uncertainty"]
CMD ["reproduce", "--out", "artifact"]
