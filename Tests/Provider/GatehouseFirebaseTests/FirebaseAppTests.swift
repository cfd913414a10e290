import Dispatch
import Foundation
import GatehouseFirebase
import GatehouseLocal
import GatehouseQueues
import HangGuard
import TestSupport
import Testing

@Suite(.endsIfItHangs)
struct FirebaseAppTests {
  @Test func `a change of the user is posted on the main queue, with its Auth`() async throws {
    try await withApp("posts") { app, auth in
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      let posted = Lock<[String]>([])
      let observer = NotificationCenter.default.addObserver(forName: .AuthStateDidChange, object: auth, queue: nil) {
        let user = ($0.object as? Auth)?.currentUser == nil ? "no user" : "a guest"
        let place = DispatchQueue.getSpecific(key: key) == true ? "on the main queue" : "elsewhere"
        posted.withLock { $0.append("\(user) \(place)") }
      }
      try await auth.signInAnonymously()
      while !posted.withLock({ $0.contains("a guest on the main queue") }) { await Task.yield() }
      NotificationCenter.default.removeObserver(observer)
      #expect(posted.withLock { $0.allSatisfy { $0.hasSuffix("on the main queue") } })
      #expect(app.name == "posts" && auth.app === app)
    }
  }

  /// In a process of its own: other tests hold the work queue.
  @Test func `the user of the last run is there as soon as an app is configured`() async throws {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-app-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let options = FirebaseOptions()
      options.home = folder.path
      options.timeouts = .patient
      var uid: String?
      for _ in 0..<20 {
        FirebaseApp.configure(name: "launches", options: options)
        let app = try #require(FirebaseApp.app(name: "launches")), auth = Auth.auth(app: app)
        #expect(auth.currentUser?.uid == uid)
        if uid == nil { uid = try await auth.signInAnonymously().user.uid }
        #expect(await app.delete())
      }
    }
  }

  /// Every thread of Swift's pool is inside `configure` then, which must need none of them.
  @Test func `apps are configured while no thread of the pool is free`() async throws {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-app-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let names = (0..<8 * ProcessInfo.processInfo.activeProcessorCount).map { "pool-\($0)" }
      await withTaskGroup(of: Void.self) { group in
        for name in names {
          group.addTask {
            let options = FirebaseOptions()
            options.home = folder.path
            options.timeouts = .patient
            FirebaseApp.configure(name: name, options: options)
          }
        }
      }
      for name in names { #expect(await FirebaseApp.app(name: name)?.delete() == true) }
    }
  }

  @Test(arguments: [false, true])
  func `the end of a program waits until a sign-out is in the file`(deletesApp: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-app-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for isLast in [false, true] {
      await #expect(processExitsWith: .success) {
        [folder = folder as String, isLast = isLast as Bool, deletesApp = deletesApp as Bool] in
        endIfItHangs()
        let options = FirebaseOptions()
        options.home = folder
        options.timeouts = .patient
        FirebaseApp.configure(name: "ends", options: options)
        let app = try #require(FirebaseApp.app(name: "ends"))
        let auth = Auth.auth(app: app)
        #expect((auth.currentUser != nil) == isLast)
        if !isLast { try await auth.signInAnonymously() }
        if isLast { try auth.signOut() }
        if isLast, deletesApp { app.delete { _ in } }
        exit(0)
      }
    }
    let options = FirebaseOptions()
    options.home = folder
    options.timeouts = .patient
    FirebaseApp.configure(name: "ends", options: options)
    let app = try #require(FirebaseApp.app(name: "ends"))
    #expect(Auth.auth(app: app).currentUser == nil)
    #expect(await app.delete())
  }

  @Test func `no user is an error, and an unknown address has no methods`() async throws {
    try await withApp("nothing") { _, auth in
      let user = try await auth.signInAnonymously().user
      let error = await withCheckedContinuation { done in
        auth.updateCurrentUser(nil) { done.resume(returning: ($0 as? AuthError)?.code) }
      }
      #expect(error == .nullUser && auth.currentUser == user)
      let (methods, failure) = await withCheckedContinuation { done in
        auth.fetchSignInMethods(forEmail: "unknown@example.com") {
          done.resume(returning: ($0, ($1 as? AuthError)?.code))
        }
      }
      #expect(methods == nil && failure == nil)
    }
  }

  @Test func `the verification of apps is off, whatever a program sets`() async throws {
    try await withApp("verifies") { _, auth in
      auth.settings?.isAppVerificationDisabledForTesting = false
      #expect(auth.settings?.isAppVerificationDisabledForTesting == true)
    }
  }

  @Test func `messages of an app without a delivery are files in the outbox of its home`() async throws {
    try await withApp("mails") { app, auth in
      try await auth.createUser(withEmail: "ada@example.com", password: "correct horse")
      try await auth.sendPasswordReset(withEmail: "ada@example.com")
      _ = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber("+12025550123")
      let outbox = try #require(app.options.home) + "/outbox"
      let files = try FileManager.default.contentsOfDirectory(atPath: outbox)
      #expect(files.count == 2, "\(files)")
    }
  }

  @Test func `apps of one project share its accounts, and an app of another project has its own`() async throws {
    try await withApp("shop/one") { app, auth in
      try await auth.createUser(withEmail: "ada@example.com", password: "correct horse")
      FirebaseApp.configure(name: "shop/two", options: app.options)
      let two = try #require(FirebaseApp.app(name: "shop/two"))
      #expect(Auth.auth(app: two).currentUser == nil)
      let user = try await Auth.auth(app: two).signIn(withEmail: "ada@example.com", password: "correct horse").user
      #expect(user.uid == auth.currentUser?.uid)
      let options = app.options
      options.projectID = "other.project"
      FirebaseApp.configure(name: "other", options: options)
      let other = try #require(FirebaseApp.app(name: "other"))
      let refusal = await #expect(throws: AuthError.self) {
        try await Auth.auth(app: other).signIn(withEmail: "ada@example.com", password: "correct horse")
      }
      #expect(refusal?.code == .userNotFound)
      try await Auth.auth(app: two).flush()
      let files = try FileManager.default.subpathsOfDirectory(atPath: try #require(app.options.home))
      #expect(files.contains("apps/shop%2Ftwo.json") && files.contains("projects/other%2Eproject"), "\(files)")
      #expect(await two.delete())
      #expect(await other.delete())
    }
  }

  private func withApp(_ name: String, _ body: (FirebaseApp, Auth) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-app-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = FirebaseOptions()
    options.home = folder.path
    options.timeouts = .patient
    options.provider.passwordCost = .uncheckedForTests
    FirebaseApp.configure(name: name, options: options)
    let app = try #require(FirebaseApp.app(name: name))
    try await body(app, Auth.auth(app: app))
    #expect(await app.delete())
    #expect(FirebaseApp.app(name: name) == nil)
    #expect(await app.delete() == false)
  }
}
