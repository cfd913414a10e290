/// Programs as their authors wrote them for Firebase's `async` API. Nothing is changed but their imports.
struct FirebaseProgram: Sendable {
  let name: String
  /// With the imports of Firebase.
  let original: String
  var input = ""
  /// What it prints.
  let output: String

  /// With ours.
  var text: String {
    original.replacing("import FirebaseCore\nimport FirebaseAuth\n", with: "import GatehouseFirebase\n")
  }

  static let all = [signInTool, listener, tokenRelay]

  static let programs = all.map {
    DependentPackage.Program(
      name: $0.name, text: $0.text, file: "Program.swift", products: ["GatehouseFirebase"])
  }

  private static let signInTool = FirebaseProgram(
    name: "FirebaseSignInTool",
    original: """
      import FirebaseCore
      import FirebaseAuth
      import Foundation

      @main
      struct SignInTool {
        static func main() async throws {
          FirebaseApp.configure()
          let email = "ada@example.com", password = "correct horse"
          let made = try await Auth.auth().createUser(withEmail: email, password: password)
          print("new:", made.additionalUserInfo?.isNewUser ?? false)
          do {
            _ = try await Auth.auth().createUser(withEmail: email, password: password)
          } catch {
            print("again:", (error as NSError).code == AuthErrorCode.emailAlreadyInUse.rawValue)
          }
          let request = made.user.createProfileChangeRequest()
          request.displayName = "Ada Lovelace"
          request.photoURL = URL(string: "https://example.com/ada.png")
          try await request.commitChanges()
          try Auth.auth().signOut()
          print("signed out:", Auth.auth().currentUser == nil)
          do {
            _ = try await Auth.auth().signIn(withEmail: email, password: "wrong password")
          } catch {
            let error = error as NSError
            if error.code == AuthErrorCode.wrongPassword.rawValue { print("wrong password") }
          }
          let user = try await Auth.auth().signIn(withEmail: email, password: password).user
          print(user.displayName ?? "", user.photoURL?.lastPathComponent ?? "", user.isEmailVerified)
          let credential = EmailAuthProvider.credential(withEmail: email, password: password)
          _ = try await user.reauthenticate(with: credential)
          try await user.updatePassword(to: "another horse")
          try await user.reload()
          print(user.providerData.map(\\.providerID), user.metadata.creationDate != nil)
          try await user.delete()
          print("deleted:", Auth.auth().currentUser == nil)
        }
      }
      """,
    output: """
      new: true
      again: true
      signed out: true
      wrong password
      Ada Lovelace ada.png false
      ["password"] true
      deleted: true

      """)

  private static let listener = FirebaseProgram(
    name: "FirebaseListener",
    original: """
      import FirebaseCore
      import FirebaseAuth

      @MainActor
      final class Session {
        private(set) var heard: [String] = []
        private var handle: AuthStateDidChangeListenerHandle?

        func start() {
          handle = Auth.auth().addStateDidChangeListener { _, user in
            let kind = user == nil ? "no user" : user!.isAnonymous ? "guest" : "user"
            MainActor.assumeIsolated { self.heard.append(kind) }
          }
        }

        func stop() {
          if let handle { Auth.auth().removeStateDidChangeListener(handle) }
        }
      }

      @main
      struct Listener {
        @MainActor
        static func main() async throws {
          FirebaseApp.configure()
          let session = Session()
          session.start()
          while session.heard.isEmpty { await Task.yield() }
          let guest = try await Auth.auth().signInAnonymously().user
          while session.heard.count < 2 { await Task.yield() }
          let credential = EmailAuthProvider.credential(withEmail: "guest@example.com", password: "correct horse")
          let linked = try await guest.link(with: credential)
          print("same user:", linked.user.uid == guest.uid)
          try Auth.auth().signOut()
          while session.heard.last != "no user" || session.heard.count < 3 { await Task.yield() }
          session.stop()
          _ = try await Auth.auth().signIn(withEmail: "guest@example.com", password: "correct horse")
          print(session.heard)
          for await user in Auth.auth().authStateChanges {
            print("now:", user?.email ?? "no user")
            break
          }
        }
      }
      """,
    output: """
      same user: true
      ["no user", "guest", "no user"]
      now: guest@example.com

      """)

  private static let tokenRelay = FirebaseProgram(
    name: "FirebaseTokenRelay",
    original: """
      import FirebaseCore
      import FirebaseAuth
      import Foundation

      /// Answers each line with a token for it.
      actor Relay {
        private var count = 0

        func header() async throws -> String {
          guard let user = Auth.auth().currentUser else { return "no user is signed in" }
          count += 1
          let token = try await user.getIDToken()
          return "\\(count): Bearer of \\(token.split(separator: ".").count) parts"
        }
      }

      @main
      struct TokenRelay {
        static func main() async throws {
          FirebaseApp.configure()
          let relay = Relay()
          print(try await relay.header())
          let result = try await Auth.auth().signInAnonymously()
          while let line = readLine() {
            switch line {
            case "token": print(try await relay.header())
            case "refresh":
              let old = try await result.user.getIDTokenResult()
              let new = try await result.user.getIDTokenResult(forcingRefresh: true)
              print("refreshed:", old.signInProvider == new.signInProvider, new.token.isEmpty)
            case "burst":
              let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await result.user.getIDToken() } }
                var tokens = Set<String>()
                for try await token in group { tokens.insert(token) }
                return tokens
              }
              print("burst:", tokens.count)
            default: print("?")
            }
          }
          print(FirebaseApp.app() != nil, Auth.auth(app: FirebaseApp.app()!) == Auth.auth())
        }
      }
      """,
    input: "token\nrefresh\nburst\n",
    output: """
      no user is signed in
      1: Bearer of 3 parts
      refreshed: true false
      burst: 1
      true true

      """)
}
