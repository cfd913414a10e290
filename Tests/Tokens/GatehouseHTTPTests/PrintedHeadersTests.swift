import GatehouseHTTP
import TestSupport
import Testing

struct `Printed header fields` {
  private static let secret = "s3cr3t-s3cr3t"
  private static let headers: TransportHeaders = [
    "Content-Type": "application/json; charset=utf-8", "Authorization": "Bearer \(secret)", "set-cookie": secret,
    "DPoP": secret, "DPoP-Nonce": secret, "Location": "https://a.example/?code=\(secret)", "cache-control": "no-store",
    "X-Unknown": secret, "WWW-Authenticate": "Negotiate \(secret)",
  ]

  @Test func `show all names, and the values of harmless fields only`() {
    #expect(
      "\(Self.headers)"
        == #"TransportHeaders(Content-Type: "application/json; charset=utf-8", Authorization: …, set-cookie: …, "#
        + #"DPoP: …, DPoP-Nonce: …, Location: …, cache-control: "no-store", X-Unknown: …, WWW-Authenticate: …)"#)
    #expect("\(Self.headers.fields[0])" == #"Content-Type: "application/json; charset=utf-8""#)
    #expect("\(Self.headers.fields[1])" == "Authorization: …")
    var dumped = ""
    dump(Self.headers, to: &dumped)
    #expect(dumped.contains(#"Authorization: "…""#) && dumped.contains("application/json"), "\(dumped)")
  }

  @Test func `show no value that may be secret, in any way of printing`() {
    #expect(leak(of: Self.secret, in: Self.headers) == nil)
    for field in Self.headers.fields { #expect(leak(of: Self.secret, in: field) == nil) }
    let url = "https://a.example/?key=\(Self.secret)"
    let body = Array(Self.secret.utf8)
    #expect(leak(of: Self.secret, in: TransportRequest(.post, url, headers: Self.headers, body: body)) == nil)
    let response = TransportResponse(status: 200, headers: Self.headers, body: body, url: url)
    #expect(leak(of: Self.secret, in: response) == nil)
    // The same ways of printing show values that are not hidden: the check can fail.
    for open in [Self.secret, body, [Self.secret: 1]] as [Any] { #expect(leak(of: Self.secret, in: open) != nil) }
  }

  @Test func `are ASCII and short, whatever a server sends`() {
    let hostile = "a\u{1B}[2J\r\n\u{202E}"
    let headers = TransportHeaders([.init(hostile, "1"), .init("Date", hostile + String(repeating: "x", count: 5000))])
    for text in printed(headers) {
      #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 >= 0x80 || $0 == 0x0A })
      #expect(!text.unicodeScalars.contains("\u{202E}") && text.utf8.count < 2000, "\(text)")
    }
  }
}
