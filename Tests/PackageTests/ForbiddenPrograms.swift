import Testing

/// A program that the compiler must refuse, for one line of it: the line that ends in `// forbidden`.
///
/// Without that line it must be accepted. Otherwise it might be refused for another reason, and prove nothing.
struct ForbiddenProgram: Sendable, CustomTestStringConvertible {
  let name: String
  /// Whether it is compiled as a part of this package, as the engine is, or as an app that uses it.
  var isInPackage = true
  let text: String
  /// What the compiler says of the line, or a part of it.
  let reason: String

  var testDescription: String { name }

  var twin: String {
    text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasSuffix(Self.mark) }
      .joined(separator: "\n")
  }

  /// The number of the forbidden line, from one; `nil` unless there is exactly one.
  var forbiddenLine: Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let forbidden = lines.indices.filter { lines[$0].hasSuffix(Self.mark) }
    return forbidden.count == 1 ? forbidden[0] + 1 : nil
  }

  private static let mark = "// forbidden"

  static let all: [Self] = engine + queues + apps

  private static let engine: [Self] = [
    Self(
      name: "engine code that calls the public synchronous calls",
      text: """
        import GatehouseBase
        import GatehouseCore
        import GatehouseQueues
        @WorkQueue func step(_ engine: AuthEngine) {
          _ = engine.currentSessionInternal()
          _ = Auth.auth().currentUser  // forbidden
        }
        """, reason: "cannot find 'Auth' in scope"),
    Self(
      name: "engine state that is read off the queue",
      text: """
        import GatehouseCore
        import GatehouseQueues
        func read(_ engine: AuthEngine) {
          WorkQueue.sync { _ = engine.state }
          _ = engine.state  // forbidden
        }
        """,
      reason: "global actor 'WorkQueue'-isolated property 'state' can not be referenced from a nonisolated context"),
    Self(
      name: "an internal method that is called off the queue",
      text: """
        import GatehouseCore
        import GatehouseQueues
        func leave(_ engine: AuthEngine) throws {
          try WorkQueue.sync { try engine.signOutInternal() }
          try engine.signOutInternal()  // forbidden
        }
        """, reason: "call to global actor 'WorkQueue'-isolated instance method 'signOutInternal()'"),
    Self(
      name: "engine state that background work reads",
      text: """
        import GatehouseBase
        import GatehouseCore
        import GatehouseQueues
        @WorkQueue func step(_ engine: AuthEngine) async throws(AuthError) {
          try await Background.run { () throws(AuthError) in
            _ = engine.timeouts
            _ = engine.state  // forbidden
          }
        }
        """, reason: "global actor 'WorkQueue'-isolated property 'state'"),
  ]

  private static let queues: [Self] = [
    Self(
      name: "an object of one thread that background work takes along",
      text: """
        import GatehouseBase
        import GatehouseQueues
        final class Account { var name = "" }
        @WorkQueue func step(_ account: Account) async throws(AuthError) {
          let name = account.name
          try await Background.run { () throws(AuthError) in
            _ = name
            _ = account  // forbidden
          }
        }
        """, reason: "non-Sendable type 'Account'"),
    Self(
      name: "an object of one thread that background work brings back",
      text: """
        import GatehouseBase
        import GatehouseQueues
        final class Account { var name = "" }
        @WorkQueue func step() async throws(AuthError) {
          _ = try await Background.run { () throws(AuthError) in Account().name }
          _ = try await Background.run { () throws(AuthError) in Account() }  // forbidden
        }
        """, reason: "'Account' does not conform to the 'Sendable' protocol"),
    Self(
      name: "a callback that delivers an object of one thread",
      text: """
        import GatehouseQueues
        final class Account { var name = "" }
        func step(_ account: Account, _ named: Callback<@Sendable (String) -> Void>) {
          let name = account.name
          named.deliver { $1(name) }
          named.deliver { $1(account.name) }  // forbidden
        }
        """, reason: "capture of 'account' with non-Sendable type 'Account' in a '@Sendable' closure"),
    Self(
      name: "a synchronous call that waits for something slow",
      text: """
        import GatehouseBase
        import GatehouseQueues
        func read(_ store: any CredentialStore) {
          WorkQueue.sync { }
          WorkQueue.sync { _ = try? await store.load() }  // forbidden
        }
        """, reason: "to parameter expecting synchronous function type"),
    Self(
      name: "a lock that is held while something slow goes on",
      text: """
        import GatehouseBase
        import GatehouseQueues
        func read(_ store: any CredentialStore, _ count: Lock<Int>) {
          count.withLock { $0 += 1 }
          count.withLock { _ in _ = try? await store.load() }  // forbidden
        }
        """, reason: "to parameter expecting synchronous function type"),
  ]

  private static let apps: [Self] = [
    Self(
      name: "an app that names the work queue", isInPackage: false,
      text: """
        import Gatehouse
        import GatehouseQueues
        func step(_ auth: Auth) {
          _ = auth.currentUser
          WorkQueue.async { }  // forbidden
        }
        """, reason: "cannot find 'WorkQueue' in scope"),
    Self(
      name: "an app that reaches for the engine", isInPackage: false,
      text: """
        import Gatehouse
        func step(_ auth: Auth) {
          _ = auth.state
          _ = auth.engine  // forbidden
        }
        """, reason: "'engine' is inaccessible due to 'internal' protection level"),
    Self(
      name: "a completion that changes a variable of another thread", isInPackage: false,
      text: """
        import Gatehouse
        func step(_ auth: Auth) {
          var user: User?
          auth.signInAnonymously { result in
            _ = result
            user = try? result.get().user  // forbidden
          }
          user = nil
        }
        """, reason: "mutation of captured var 'user' in concurrently-executing code"),
    Self(
      name: "a listener that keeps an object of one thread", isInPackage: false,
      text: """
        import Gatehouse
        final class Window { var title = "" }
        func step(_ auth: Auth, _ window: Window) {
          auth.addStateDidChangeListener { auth, user in
            _ = user?.displayName
            window.title = user?.displayName ?? ""  // forbidden
          }
        }
        """, reason: "non-Sendable type 'Window'"),
    Self(
      name: "a server that takes a token which nobody verified", isInPackage: false,
      text: """
        import Foundation
        import GatehouseJOSE
        func serve(_ token: VerifiedToken) {}
        func step(_ verifier: TokenVerifier, _ text: String, now: Date) throws {
          serve(try verifier.verify(text, at: now))
          serve(try UnverifiedToken(text))  // forbidden
        }
        """, reason: "cannot convert value of type 'UnverifiedToken' to expected argument type 'VerifiedToken'"),
    cache("a cache over tokens that may be used once", of: "SingleUseTokenVerifier", beside: "NestedTokenVerifier"),
    cache("a cache over proofs of possession", of: "DPoPVerifier", beside: "TokenVerifier"),
    cache("a cache over keys that change", of: "RemoteTokenVerifier", beside: "TokenVerifier"),
  ]

  /// A cache over a verifier that is not pure, beside one over a verifier that is.
  private static func cache(_ name: String, of impure: String, beside pure: String) -> Self {
    Self(
      name: name, isInPackage: false,
      text: """
        import GatehouseJOSE
        func step(_ pure: \(pure), _ impure: \(impure), _ cache: TokenCache) throws {
          _ = try CachedTokenVerifier(pure, cache: cache)
          _ = try CachedTokenVerifier(impure, cache: cache)  // forbidden
        }
        """, reason: "argument type '\(impure)' does not conform to expected type 'PureTokenVerifying'")
  }
}
