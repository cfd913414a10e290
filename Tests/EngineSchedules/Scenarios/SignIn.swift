import Gatehouse
import GatehouseQueues
import GatehouseTesting

/// Two sign-ins at once, one of which is cancelled, while the stored session is still being read.
///
/// Whoever was told of success is signed in, or was until the other one's success; whoever was not has left nothing.
enum SignIn {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context)
    try await scene.provider.makeAccount(Scene.ada)
    try await scene.provider.makeAccount(Scene.bob)
    let states = Lock<[String?]>([])
    scene.auth.addStateDidChangeListener { _, user in states.withLock { $0.append(user?.email) } }

    let ada = beside { () throws(AuthError) in try await scene.signIn(Scene.ada) }
    let bob = beside { () throws(AuthError) in try await scene.signIn(Scene.bob) }
    let cancel = beside { () throws(AuthError) in
      await context.yield()
      ada.cancel()
    }
    _ = await cancel.value
    let results = [Scene.ada: await ada.value, Scene.bob: await bob.value]
    await context.settle()

    let seen = states.withLock { $0 }
    for (email, result) in results.sorted(by: { $0.key < $1.key }) {
      switch result {
      case .success(let user):
        context.check(user.email == email, "\(email) was signed in as \(user.email ?? "nobody")")
        context.check(seen.contains(email), "nobody heard that \(email) signed in")
      case .failure(let error):
        context.check(!seen.contains(email), "\(email) was signed in, and told \(error)")
        let isFair = error.code == .superseded || (error.code == .cancelled && email == Scene.ada)
        context.check(isFair, "the sign-in of \(email) failed: \(error)")
      }
    }
    if case .failure(let one)? = results[Scene.ada], case .failure(let other)? = results[Scene.bob] {
      context.check(one.code == .cancelled || other.code == .cancelled, "of two sign-ins neither has won")
    }
    context.check(seen.last == .some(scene.auth.currentUser?.email), "the last that was heard is not so")
    try await scene.checkStore()
  }
}

/// A sign-out while a sign-in is under way, over a stored session that is still being read.
enum SignOutAgainstSignIn {
  static func run(_ context: ScheduleContext) async throws {
    let (before, _) = try await Scene.ofAda(context)
    try await before.auth.close()
    let scene = Scene(context, stored: before.store.content)
    try await scene.provider.makeAccount(Scene.bob)

    let signIn = beside { () throws(AuthError) in try await scene.signIn(Scene.bob) }
    let sent = scene.provider.signInsBegun
    try scene.auth.signOut()
    let answered = scene.provider.signInsEnded
    context.check(scene.auth.currentUser == nil || sent == 0, "somebody is signed in after signOut() has returned")
    let result = await signIn.value
    if sent > 0 && answered == 0 {
      guard case .failure(let error) = result else {
        throw Broken("a sign-in that a sign-out overtook has succeeded")
      }
      context.check(error.code == .superseded, "the sign-in that a sign-out overtook failed with \(error)")
    }
    await context.settle()
    if case .success(let user) = result {
      context.check(scene.auth.currentUser == user, "the sign-in succeeded, and its user is not signed in")
    } else {
      context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    }
    try await scene.checkStore()
  }
}

/// A broken promise of the engine's.
struct Broken: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
