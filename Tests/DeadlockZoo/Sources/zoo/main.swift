import Dispatch
import Glibc

let usage = """
  zoo list [--json]
    the cases, a line each: id, kind, what it goes through unseen, forms, spelling, origin, title
  zoo CASE [many|one|main] [--hang]
    runs one so that it passes, or so that it hangs: on many threads, on one thread, or on the main thread
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
let options = arguments.dropFirst().filter { $0 != "--hang" }
guard options.count <= 1, let form = Case.Form(rawValue: options.first ?? "many") else { fail(usage) }
guard found.forms.contains(form) else { fail("\(name) has no form \(form)") }
let run = Run(form, hangs: arguments.contains("--hang"))

Monitor.start(hangs: run.hangs)
if form == .main || run.hangs && found.leavesMainUndrained {
  found.body(run)
  Monitor.finish()
}
_ = Thread { [found, run] in
  found.body(run)
  Monitor.finish()
}
dispatchMain()
