import ArgumentParser

/// The options of all commands that read a form.
struct FormOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The language of texts and messages, such as de.", valueName: "tag"))
    var language: String?
    @Option(help: ArgumentHelp("A folder of ValueSets and CodeSystems as JSON files.", valueName: "dir"))
    var valueSets: String?
    @Flag(help: "Also read a comma before a closing bracket.") var lenient = false
}
