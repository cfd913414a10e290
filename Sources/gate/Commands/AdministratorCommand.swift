import ArgumentParser

/// A command about other people's accounts, or the provider's keys: no user's sign-in mends its refusal, so that its
/// status is 1.
protocol AdministratorCommand: AsyncParsableCommand {}
