/// Programs that call from each kind of caller, as their authors would write it without thinking of isolation.
enum CallerPrograms {
  /// An app whose every declaration is the main actor's, by `-default-isolation MainActor`.
  static let mainActorApp = """
    import Dispatch
    import Gatehouse
    import GatehouseTesting

    final class Model {
      var name = "nobody"
      var heard: [String] = []
      let auth = Auth(Auth.Configuration(backend: ScriptedBackend()))

      func begin(_ end: @escaping () -> Void) {
        auth.addStateDidChangeListener { auth, user in self.heard.append(user?.uid ?? "-") }
        auth.createUser(withEmail: "ada@example.com", password: "correct horse") { result in
          MainActor.assertIsolated()
          guard case .success(let signIn) = result else { return print("refused") }
          self.name = signIn.user.email ?? ""
          signIn.user.reload { _ in
            self.name += "!"
            end()
          }
        }
      }

      func token() async -> String {
        do { return try await auth.currentUser?.getIDToken() ?? "none" } catch { return "refused" }
      }
    }

    @main
    struct Program {
      static func main() async throws {
        let model = Model()
        await withCheckedContinuation { done in model.begin { done.resume() } }
        print("name:", model.name, "heard:", model.heard.count)
        print("token:", await model.token().isEmpty == false)
        do { try await model.auth.currentUser?.updatePassword(to: "x", timeout: .seconds(5)) } catch { print("refused") }
        MainActor.assertIsolated()
        try await model.auth.close()
      }
    }
    """

  static let mainActorOutput = "name: ada@example.com! heard: 2\ntoken: true\n"

  /// A class of the main actor's, an actor, and a plain function.
  static let callers = """
    import Dispatch
    import Gatehouse
    import GatehouseTesting

    @MainActor
    final class ViewModel {
      var name = ""
      func load(_ user: User, _ end: @escaping @MainActor () -> Void) {
        user.reload { _ in
          self.name = user.email ?? ""
          end()
        }
      }
    }

    actor Counter {
      var count = 0
      func count(_ user: User, _ end: @escaping @Sendable () -> Void) {
        user.getIDToken { _ in
          self.count += 1
          end()
        }
      }
    }

    func plain(_ user: User, _ end: @escaping @Sendable () -> Void) {
      user.getIDTokenResult { result in
        if case .success = result { end() }
      }
    }

    @main
    struct Program {
      static func main() async throws {
        let auth = Auth(Auth.Configuration(backend: ScriptedBackend()))
        let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
        let model = ViewModel()
        await withCheckedContinuation { done in Task { @MainActor in model.load(user) { done.resume() } } }
        print("model:", model.name)
        let counter = Counter()
        await withCheckedContinuation { done in Task { await counter.count(user) { done.resume() } } }
        print("counter:", await counter.count)
        await withCheckedContinuation { done in plain(user) { done.resume() } }
        print("plain")
        try await auth.close()
      }
    }
    """

  static let callersOutput = "model: ada@example.com\ncounter: 1\nplain\n"
}
