import ArgumentParser
import DeviceCommands
import Foundation

/// The usage of a command, for errors.
struct CommandUsage {
    /// The full name of the command, such as `tributary warehouse count`.
    let name: String
    /// The arguments and options in one line.
    let line: String

    /// Creates the usage of a command of the program.
    init(of command: any ParsableCommand.Type) {
        name = Self.words(to: command, from: TributaryCommand.self).joined(separator: " ")
        line = TributaryCommand.usageString(for: command)
    }

    /// Returns the names that lead to a command; only the program's for a command that is not part of it.
    private static func words(to wanted: any ParsableCommand.Type, from command: any ParsableCommand.Type) -> [String] {
        func search(_ command: any ParsableCommand.Type) -> [String]? {
            if command == wanted { return [command._commandName] }
            return command.configuration.subcommands.lazy.compactMap(search).first.map { [command._commandName] + $0 }
        }
        return search(command) ?? [command._commandName]
    }

    /// Prints an error with a usage, and ends the process like the argument parser.
    static func exit(_ message: String, usage: CommandUsage, status: Int32 = ExitCode.validationFailure.rawValue)
        -> Never
    {
        CommandOutput.note("Error: \(message)")
        CommandOutput.note(usage.line.hasPrefix("Usage:") ? usage.line : "Usage: \(usage.line)")
        CommandOutput.note("  See '\(usage.name) --help' for more information.")
        Foundation.exit(status)
    }
}

/// A word that is not a subcommand, and the subcommand with the nearest name.
struct UnknownSubcommand {
    let message: String
    let usage: CommandUsage

    /// Parses the arguments of the program; nil if each subcommand is known.
    init?(_ arguments: [String]) {
        var command: any ParsableCommand.Type = TributaryCommand.self
        for word in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = subcommands.first(where: {
                $0._commandName == word || $0.configuration.aliases.contains(word)
            }) {
                command = next
                continue
            }
            let usage = CommandUsage(of: command)
            let names = subcommands.map { $0._commandName }
            guard let nearest = names.min(by: { Self.distance(word, $0) < Self.distance(word, $1) }) else { return nil }
            message = "There is no command '\(usage.name) \(word)'. Did you mean '\(usage.name) \(nearest)'?"
            self.usage = usage
            return
        }
        return nil
    }

    /// Returns the number of letters to insert, remove, replace or swap with a neighbour to change one word into the
    /// other.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
        var before: [Int] = []
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                var best = min(row[column + 1] + 1, next[column] + 1, row[column] + (letter == other ? 0 : 1))
                if index > 0, column > 0, letter == right[column - 1], left[index - 1] == other {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row.last ?? 0
    }
}
