import Testing

/// Bytes that are not UTF-8 are refused where Swift would replace them.
struct ArgumentBytesTests {
  @Test func `an argument that is not UTF-8 is refused before anything is done`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        "printf 'correct horse' | gate --home \"$home\" sign-up \"$(printf 'caf\\351@example.com')\" --password-stdin")
      #expect(
        outcome.status == 2
          && outcome.errors == "argument 4 of gate is not UTF-8: caf\\xE9@example.com\n", "\(outcome)")
      #expect(try await home.shell("test -e \"$home\"").status == 1)
    }
  }

  @Test(arguments: [
    ("--home=\\351 whoami", "argument 1 of gate is not UTF-8: --home=\\xE9\n"),
    ("whoami --home a\\360\\237", "argument 3 of gate is not UTF-8: a\\xF0\\x9F\n"),
    ("verify \\355\\240\\200", "argument 2 of gate is not UTF-8: \\xED\\xA0\\x80\n"),
    ("\\300\\257", "argument 1 of gate is not UTF-8: \\xC0\\xAF\n"),
    ("help \\033[1m\\377", "argument 2 of gate is not UTF-8: \\x1B[1m\\xFF\n"),
  ])
  func `the refusal says which argument, and shows its bytes`(arguments: String, errors: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell("gate $(printf -- '\(arguments)')")
      #expect(outcome.status == 2 && outcome.output == "" && outcome.errors == errors, "\(outcome)")
    }
  }

  @Test func `with --json the refusal is JSON as well`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell("gate whoami --json --home \"$(printf '\\351')\"")
      let message = "argument 4 of gate is not UTF-8: \\\\xE9"
      #expect(outcome.output == #"{"error":{"code":"usage","message":"\#(message)","status":2}}"# + "\n", "\(outcome)")
    }
  }

  @Test(arguments: ["GATEHOUSE_HOME", "XDG_STATE_HOME", "HOME", "GATEHOUSE_TOKEN_LIFETIME"])
  func `a variable that is not UTF-8 is refused where it is read`(_ name: String) async throws {
    try await GateHome.withAda { home in
      let set = "GATEHOUSE_HOME= XDG_STATE_HOME= \(name)=\"/$(printf '\\351')\""
      let given = name == "GATEHOUSE_TOKEN_LIFETIME" ? "--home \"$home\"" : ""
      let refused = try await home.shell("env \(set) gate \(given) whoami")
      #expect(refused.status == 2, "\(refused)")
      #expect(refused.errors.contains("the variable \(name) is not UTF-8: /\\xE9"), "\(refused)")
      // A variable that is not read cannot be wrong.
      guard given == "" else { return }
      let unread = try await home.shell("env \(set) gate --home \"$home\" whoami")
      #expect(unread.succeeded, "\(unread)")
    }
  }

  @Test func `text in UTF-8 is taken as it is`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        "gate provider backup x --home \"$(printf 'a\\303\\251\\360\\237\\230\\200')\"")
      #expect(outcome.status == 1 && outcome.errors.contains("a\u{E9}\u{1F600}"), "\(outcome)")
    }
  }
}
