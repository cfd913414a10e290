import Dispatch
import Glibc

let usage = """
  zoo list [--json]     the cases, a line each: id, kind, what it goes through unseen, origin, title
  zoo CASE [--hang]     runs one: so that it passes, or so that it hangs
  """

func fail(_ message: String) -> Never {
  let line = message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(2)
}

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first else { fail(usage) }

if name == "list" {
  print(arguments.contains("--json") ? Catalogue.json : Catalogue.lines)
  exit(0)
}

guard let found = Catalogue.all.first(where: { $0.id == name }) else { fail("there is no case \(name)") }
guard arguments.dropFirst().allSatisfy({ $0 == "--hang" }) else { fail(usage) }
let run = Run(hangs: arguments.contains("--hang"))

Monitor.start()
if run.hangs && found.leavesMainUndrained {
  found.body(run)
  Monitor.finish()
}
_ = Thread { [found, run] in
  found.body(run)
  Monitor.finish()
}
dispatchMain()
