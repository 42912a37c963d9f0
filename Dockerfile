# The server and the worker in one image: see "In containers" in docs/guides/run-several-servers.md.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
# Installs the package as users do. Packing builds it first.
RUN npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/adjutant /tmp/adjutant-*.tgz

FROM node:24-bookworm-slim
COPY --from=build /opt/adjutant /opt/adjutant
RUN install --directory --owner node --group node --mode 700 /data
ENV PATH=/opt/adjutant/bin:$PATH \
    ADJUTANT_HOME=/data \
    ADJUTANT_ASSISTANT_ME=none \
    ADJUTANT_HTTP_TOKEN_FILE=/run/secrets/adjutant-token
VOLUME /data
EXPOSE 7323
USER node
WORKDIR /data
# For servers. Workers listen on no port: start them with --no-healthcheck.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.ADJUTANT_HTTP_PORT || 7323) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/adjutant/lib/node_modules/adjutant/dist/adjutant.cjs"]
CMD ["serve", "--http", "--host", "0.0.0.0"]
