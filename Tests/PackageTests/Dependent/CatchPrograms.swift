/// A program that has each form of `catch` in each kind of place around each kind of call, built with and without
/// optimization.
///
/// Each function of the program has one form, and says in one line what it caught. Swift 6.3.1 crashed at some of them,
/// and others stopped the program, when calls threw a type and `AuthError` was a struct (decision 108).
enum CatchPrograms {
  static let programs = [
    DependentPackage.Program(name: "Catches", text: program.text, products: products),
    DependentPackage.Program(
      name: "CatchesOptimized", text: program.text, settings: [.swift6, .optimized], products: products),
  ]
  /// The output of each program.
  static let output = program.output

  private static let products = ["Gatehouse", "GatehouseTesting"]

  /// A form of `catch`. CALL is the call; `say` takes what was caught.
  private static let forms = [
    Form(
      "catch let error as NSError",
      "do { CALL } catch let error as NSError { say(error.domain, error.code) }", .number),
    Form(
      "its userInfo",
      """
      do { CALL } catch let error as NSError {
        say(error.localizedDescription, error.userInfo[AuthErrors.userInfoNameKey] ?? "")
      }
      """, "\(message) ERROR_CLOSED"),
    Form(
      "the code of its number",
      "do { CALL } catch { if let code = AuthErrorCode(rawValue: (error as NSError).code) { say(code) } }", .name),
    Form(
      "catch let error as AuthError",
      #"do { CALL } catch let error as AuthError { say(none ?? error.message, none ?? error.email ?? "-") }"#,
      "\(message) -", leavesErrors: true),
    Form(
      "catch let error as AuthError where",
      "do { CALL } catch let error as AuthError where error.code == .closed { say(none ?? error.message) }", message,
      leavesErrors: true),
    Form(
      "catch AuthErrorCode.closed",
      "do { CALL } catch AuthErrorCode.userNotFound { say(1) } catch AuthErrorCode.closed { say(2) }", "2",
      leavesErrors: true),
    Form(
      "catch, then as NSError",
      "do { CALL } catch { say((error as NSError).domain, (error as NSError).code) }", .number),
    Form(
      "catch, then as? AuthError",
      "do { CALL } catch { say((error as? AuthError)?.code == .closed, error.localizedDescription) }",
      "true \(message)"),
    Form(
      "catch, then switch",
      """
      do { CALL } catch {
        switch error {
        case AuthErrorCode.userNotFound: say(1)
        case let error as AuthError where error.code == .closed: say(none ?? error.message)
        default: say(3)
        }
      }
      """, message),
    Form(
      "catch, then switch over the code",
      """
      do { CALL } catch {
        switch (error as? AuthError)?.code {
        case .userNotFound?: say(1)
        case .closed?: say(2)
        default: say(3)
        }
      }
      """, "2"),
    Form(
      "NSError before AuthError",
      """
      do { CALL } catch let error as NSError where error.code == 17_011 { say(1) }
      catch let error as AuthError { say(error.code) }
      """, .name, leavesErrors: true),
    Form("try?", "let value: Void? = try? { CALL }(); say(value == nil)", "true", isOfSyncCalls: true),
    Form(
      "Result",
      "let result = Result { CALL }; if case .failure(let error) = result { say((error as NSError).code) }", "19003",
      isOfSyncCalls: true),
  ]

  /// The places that a form stands in. BODY is the form; a place that cannot throw ends it with a plain `catch`.
  private static let places = [
    Place("a function that throws", "func NAME() throws { BODY }\ntry NAME()", canThrow: true, isOfSyncCalls: true),
    Place("a function", "func NAME() { BODY }\nNAME()", isOfSyncCalls: true),
    Place("a closure", "let NAME = { BODY }\nNAME()", isOfSyncCalls: true),
    Place("an async function that throws", "func NAME() async throws { BODY }\ntry await NAME()", canThrow: true),
    Place("an async function", "func NAME() async { BODY }\nawait NAME()"),
    Place("an async closure", "let NAME = { () async in BODY }\nawait NAME()"),
    Place("a task", "let NAME = Task { BODY }\nawait NAME.value"),
    Place("a function of the main actor", "@MainActor func NAME() async { BODY }\nawait NAME()"),
  ]

  private static let calls = [
    Call("signOut()", "try auth.signOut()", isSync: true),
    Call("get()", "_ = try refused.get()", isSync: true),
    Call("signIn", #"_ = try await auth.signIn(withEmail: "ada@example.com", password: "correct horse")"#),
    Call("getIDToken", "_ = try await user.getIDToken()"),
  ]

  private struct Form {
    let name: String
    let text: String
    let said: String
    /// Whether it leaves errors that a place which cannot throw must catch.
    let leavesErrors: Bool
    let isOfSyncCalls: Bool

    init(_ name: String, _ text: String, _ said: String, leavesErrors: Bool = false, isOfSyncCalls: Bool = false) {
      (self.name, self.text, self.said) = (name, text, said)
      (self.leavesErrors, self.isOfSyncCalls) = (leavesErrors, isOfSyncCalls)
    }
  }

  private struct Place {
    let name: String
    let text: String
    let canThrow: Bool
    let isOfSyncCalls: Bool

    init(_ name: String, _ text: String, canThrow: Bool = false, isOfSyncCalls: Bool = false) {
      (self.name, self.text, self.canThrow, self.isOfSyncCalls) = (name, text, canThrow, isOfSyncCalls)
    }
  }

  private struct Call {
    let name: String
    let text: String
    let isSync: Bool

    init(_ name: String, _ text: String, isSync: Bool = false) {
      (self.name, self.text, self.isSync) = (name, text, isSync)
    }
  }

  private static let program: (text: String, output: String) = {
    var functions: [String] = []
    var lines: [String] = []
    for place in places {
      for form in forms {
        for call in calls where call.isSync || !(place.isOfSyncCalls || form.isOfSyncCalls) {
          let rest = form.leavesErrors && !place.canThrow ? " catch { say(0) }" : ""
          let body = "begin(\(lines.count)); " + form.text.replacing("CALL", with: call.text) + rest
          functions.append(
            place.text.replacing("BODY", with: body).replacing("NAME", with: "scene\(lines.count)"))
          lines.append("\(lines.count) \(form.said)")
        }
      }
    }
    return (start + functions.joined(separator: "\n") + "\n", lines.joined(separator: "\n") + "\n")
  }()

  /// The program's beginning: an `Auth` that was closed, so that each call throws `.closed`.
  private static let start = """
    import Foundation
    import Gatehouse
    import GatehouseTesting

    func begin(_ number: Int) { print(number, terminator: "") }
    func say(_ parts: Any...) { print("", parts.map { "\\($0)" }.joined(separator: " ")) }

    let none: String? = nil
    let refused = Result<Int, AuthError>.failure(AuthError(.closed, "\(message)"))
    let auth = Auth(.init(backend: ScriptedBackend()))
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
    try await auth.close()

    """
}

extension String {
  fileprivate static let number = "FIRAuthErrorDomain 19003"
  fileprivate static let name = "closed"
}

/// The message of the errors of a closed `Auth`.
private let message = "this Auth was closed; make a new one"
