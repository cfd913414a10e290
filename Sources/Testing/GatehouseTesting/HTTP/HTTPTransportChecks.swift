import GatehouseBase
import GatehouseHTTP

extension HTTPTransportContract {
  /// The checks for every transport.
  public static let all: [Check] = carrying + refusing + redirecting + ending

  private static let text = Array("an answer".utf8)

  private static let carrying: [Check] = [
    Check(name: "a request arrives as it was made") { stage in
      let url = stage.serve("/path?key=value&other=%20", .answers(200, body: text))
      let body = Array(#"{"a":"é"}"#.utf8) + [0, 255]
      var request = TransportRequest.post(url, json: body)
      request.headers.add("X-Test", "one")
      _ = try await stage.expectAnswer(to: request, 200, text, "a POST")
      let seen = stage.received().first
      try Stage.expect(seen?.method == .post && seen?.url == url, "the method or address did not arrive")
      try Stage.expect(seen?.body == body, "the body did not arrive as it was")
      try Stage.expect(
        seen?.headers["x-test"] == "one" && seen?.headers["content-type"] == "application/json",
        "the header fields did not arrive")
    },
    Check(name: "an answer comes as it was given") { stage in
      let every = Array(UInt8.min...UInt8.max)
      let url = stage.serve("/", .answers(200, headers: ["X-Test": "one", "Cache-Control": "max-age=5"], body: every))
      let response = try await stage.expectAnswer(to: TransportRequest(.get, url), 200, every, "a GET")
      try Stage.expect(
        response.headers["x-TEST"] == "one" && response.headers["cache-control"] == "max-age=5",
        "the header fields did not come")
      try Stage.expect(response.url == url, "the answer's address should be \(url), and is \(response.url)")
    },
    Check(name: "every status is an answer") { stage in
      for status in [201, 204, 304, 400, 401, 403, 404, 429, 500, 503] {
        let body = status == 204 || status == 304 ? [] : text
        let url = stage.serve("/\(status)", .answers(status, body: body))
        _ = try await stage.expectAnswer(to: TransportRequest(.get, url), status, body, "status \(status)")
      }
    },
    Check(name: "cookies are not kept, and answers neither") { stage in
      let headers: TransportHeaders = ["Set-Cookie": "a=1; Path=/", "Cache-Control": "max-age=1000", "ETag": "\"1\""]
      let url = stage.serve("/", .answers(200, headers: headers, body: text))
      for _ in 0..<2 { _ = try await stage.expectAnswer(to: TransportRequest(.get, url), 200, text, "a GET") }
      let seen = stage.received()
      try Stage.expect(seen.count == 2, "an answer was kept")
      try Stage.expect(
        seen.allSatisfy { $0.headers["Cookie"] == nil && $0.headers["If-None-Match"] == nil },
        "something of the first answer went into the second request")
    },
    Check(name: "many requests at once get each its own answer") { stage in
      let urls = (0..<20).map { stage.serve("/\($0)", .answers(200, body: Array("\($0)".utf8))) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, url) in urls.enumerated() {
          group.addTask {
            let own = Array("\(number)".utf8)
            _ = try await stage.expectAnswer(to: TransportRequest(.get, url), 200, own, "one of many requests")
          }
        }
        try await group.waitForAll()
      }
    },
  ]

  private static let refusing: [Check] = [
    Check(name: "an answer may be as long as the request allows, and no longer") { stage in
      let url = stage.serve("/", .answers(200, body: text))
      _ = try await stage.expectAnswer(
        to: TransportRequest(.get, url, maximumResponseLength: text.count), 200, text, "at the limit")
      let short = TransportRequest(.get, url, maximumResponseLength: text.count - 1)
      try await stage.expectRefusal(of: short, .responseTooLarge, "an answer beyond the limit")
    },
    Check(name: "a server that is not there is a network error") { stage in
      try await stage.expectRefusal(of: TransportRequest(.get, stage.vacantURL), .networkError, "no server")
    },
    Check(name: "a malformed request is refused before it is sent") { stage in
      let url = stage.serve("/", .answers(200, body: text))
      var split = TransportRequest(.get, url)
      split.headers.add("X-Test", "one\r\nX-Other: two")
      var unnamed = TransportRequest(.get, url)
      unnamed.headers.add("X Test", "one")
      var impatient = TransportRequest(.get, url)
      impatient.timeout = .zero
      for request in [
        split, unnamed, impatient, TransportRequest(.get, url, body: text),
        TransportRequest(.get, url, maximumResponseLength: 0),
        TransportRequest(.get, ""), TransportRequest(.get, "file:///etc/passwd"),
        TransportRequest(.get, url + "/\r\nX-Test: one"),
        TransportRequest(.get, "http://user:password@127.0.0.1/"), TransportRequest(.get, "http://127.0.0.1:99999/"),
      ] {
        try await stage.expectRefusal(of: request, .invalidArgument, "a malformed request")
      }
      try Stage.expect(stage.received().isEmpty, "a malformed request was sent")
    },
    Check(name: "nothing goes to another machine in the open") { stage in
      for host in ["example.org", "127.0.0.1.example.org", "localhost.example.org", "192.0.2.1"] {
        try await stage.expectRefusal(of: TransportRequest(.get, "http://\(host)/"), .insecureConnection, "plain HTTP")
      }
    },
  ]

  private static let redirecting: [Check] = [
    Check(name: "a redirect is an answer where following was not asked for") { stage in
      let target = stage.serve("/b", .answers(200, body: text))
      let url = stage.serve("/a", .answers(302, headers: ["Location": target]))
      let response = try await stage.expectAnswer(to: TransportRequest(.get, url), 302, [], "a redirect")
      try Stage.expect(response.headers["location"] == target && response.url == url, "the redirect lost its target")
      try Stage.expect(stage.received().map(\.url) == [url], "the redirect was followed")
    },
    Check(name: "a redirect on the same server is followed where that was asked for") { stage in
      let target = stage.serve("/b", .answers(200, body: text))
      for status in [301, 302, 303, 307, 308] {
        let url = stage.serve("/a", .answers(status, headers: ["Location": target]))
        let response = try await stage.expectAnswer(to: following(url), 200, text, "a redirect with \(status)")
        try Stage.expect(response.url == target, "the answer's address should be \(target), and is \(response.url)")
      }
    },
    Check(name: "a redirect to another server is refused") { stage in
      let target = stage.serveElsewhere("/b", .answers(200, body: text))
      for target in [target, "https://127.0.0.1/b", "http://example.org/b", "file:///etc/passwd"] {
        let url = stage.serve("/a", .answers(302, headers: ["Location": target]))
        try await stage.expectRefusal(of: following(url), .redirectRefused, "a redirect to \(target)")
      }
    },
    Check(name: "redirects without end are refused") { stage in
      let url = stage.serve("/a", .answers(200))
      _ = stage.serve("/a", .answers(302, headers: ["Location": url]))
      try await stage.expectRefusal(of: following(url), .redirectRefused, "a redirect to itself")
    },
  ]

  private static let ending: [Check] = [
    Check(name: "a server that does not answer meets the timeout") { stage in
      let url = stage.serve("/", .isSilent)
      let waiter = Task { await stage.outcome(of: TransportRequest(.get, url, timeout: .seconds(77))) }
      await stage.waitForSleeper(of: 77, orEndOf: waiter)
      stage.clocks.advance(by: 77)
      try Stage.expect(await waiter.value, .deadlineExceeded, "silence")
    },
    Check(name: "a request that is cancelled ends at once") { stage in
      let url = stage.serve("/", .isSilent)
      let waiter = Task { await stage.outcome(of: TransportRequest(.get, url, timeout: .seconds(77))) }
      await stage.waitForSleeper(of: 77, orEndOf: waiter)
      waiter.cancel()
      try Stage.expect(await waiter.value, .cancelled, "a cancelled request")
    },
    Check(name: "a request that was cancelled before ends at once") { stage in
      let url = stage.serve("/", .isSilent)
      let waiter = Task {
        while !Task.isCancelled { await Task.yield() }
        return await stage.outcome(of: TransportRequest(.get, url))
      }
      waiter.cancel()
      try Stage.expect(await waiter.value, .cancelled, "a request of a cancelled task")
    },
  ]

  private static func following(_ url: String) -> TransportRequest {
    var request = TransportRequest(.get, url)
    request.followsRedirects = true
    return request
  }
}
