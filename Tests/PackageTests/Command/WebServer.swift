/// A web server that Python makes: it serves a folder while a line of shell runs there.
enum WebServer {
  static var isThere: Bool {
    get async { (try? await ChildProcess("python3", ["-c", "import http.server"]).run())?.succeeded ?? false }
  }

  /// Runs a line in which `$url` is the server's address. What is below `/busy` cannot be served for seven seconds; nor
  /// can what is first asked for below `/once`, for one second. The file `refused` has a line for each such request.
  /// With `certificate` in the environment it serves over TLS, with the certificate and the key of that name (`.pem`,
  /// `.key`).
  static func run(
    in folder: String, _ line: String, environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    var child = ChildProcess("python3", ["-c", program, line])
    child.folder = folder
    child.environment = environment
    return try await child.run()
  }

  private static let program = """
    import http.server, os, ssl, subprocess, sys, threading
    class Handler(http.server.SimpleHTTPRequestHandler):
      def log_message(self, *arguments): pass
      def do_GET(self):
        isFirst = self.path.startswith("/once") and not asked.is_set()
        if not self.path.startswith("/busy") and not isFirst: return super().do_GET()
        asked.set()
        with open("refused", "a") as file: file.write(self.path + "\\n")
        self.send_response(503)
        self.send_header("Retry-After", "1" if isFirst else "7")
        self.send_header("Content-Length", "0")
        self.end_headers()
    asked = threading.Event()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    if name := os.environ.get("certificate"):
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(name + ".pem", name + ".key")
      server.socket = context.wrap_socket(server.socket, server_side=True)
      url = f"https://localhost:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, url=url, no_proxy="127.0.0.1,localhost")
    sys.exit(subprocess.run(["/bin/sh", "-c", sys.argv[1]], env=environment).returncode)
    """
}
