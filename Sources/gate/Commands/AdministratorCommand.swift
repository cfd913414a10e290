import ArgumentParser

/// A command about other people's accounts, or about the provider's keys. If it is refused, a user's sign-in does not
/// help, so its exit status is 1.
protocol AdministratorCommand: AsyncParsableCommand {}
