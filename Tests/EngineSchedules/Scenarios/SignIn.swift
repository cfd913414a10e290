import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// Two sign-ins at once, one of which is cancelled, while the stored session is still being read.
///
/// A user whose sign-in succeeded is signed in, or was until the other one's success. A failed one has left nothing.
enum SignIn {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context)
    try await scene.provider.makeAccount(Scene.ada)
    try await scene.provider.makeAccount(Scene.bob)
    let states = Lock<[String?]>([])
    scene.auth.addStateDidChangeListener { _, user in
      let email = user?.email
      states.withLock { $0.append(email) }
    }

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
    let signOut = beside { () throws(AuthError) in
      for _ in 0..<6 { await context.yield() }
      let isSent = scene.provider.signInsBegun > 0
      try typed { try scene.auth.signOut() }
      let isOvertaken = isSent && scene.provider.signInsEnded == 0
      if isOvertaken { context.check(scene.auth.currentUser == nil, "somebody is signed in after a sign-out") }
      return isOvertaken
    }
    let isOvertaken = try await signOut.value.get()
    let result = await signIn.value
    switch result {
    case .success: context.check(!isOvertaken, "a sign-in that a sign-out overtook has succeeded")
    case .failure(let error):
      context.check(error.code == .superseded, "the sign-in that a sign-out overtook failed with \(error)")
    }
    await context.settle()
    switch result {
    case .success(let user):
      let isGone = scene.auth.state == .signedOut(nil)
      context.check(isGone || scene.auth.currentUser == user, "after a sign-in the state is \(scene.auth.state)")
    case .failure:
      context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    }
    try await scene.checkStore()
  }
}
