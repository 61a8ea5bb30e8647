import Foundation

/// The plan of the house: where each module stands, and which modules of ours it may import.
///
/// It is read from the two tables of docs/architecture.md. A new edge is a decision, and is made there.
struct House {
    struct Room: Equatable {
        let name: String
        /// The folder, from the package's root.
        let folder: String
        /// The floor's number in the table, from the lowest.
        let floor: Int
        let mayImport: Set<String>
        /// Whether the module builds for iOS and macOS and is a product.
        var isPortable = false
        /// Whether it may import everything.
        var isOpen = false
    }

    let rooms: [Room]

    var names: Set<String> { Set(rooms.map(\.name)) }

    func room(_ name: String) -> Room? { rooms.first { $0.name == name } }

    /// The house as docs/architecture.md plans it.
    static let planned = House(
        plan: (try? String(
            contentsOf: PackageFolder.ours.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)) ?? "")

    /// - Parameter plan: Markdown with a table of floors (floor, folder, modules in backticks) and one of edges (modules,
    ///   what they may import). What stands in parentheses or behind a colon or semicolon is said to people.
    init(plan: String) {
        let rows = plan.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: true).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        // 1. Who may import what.
        var edges: [String: Set<String>] = [:]
        for row in rows where row.count == 2 {
            for name in House.names(row[0]) { edges[name] = Set(House.names(row[1])) }
        }
        // 2. What everybody may import.
        let ground = Set(edges.filter { $0.value.contains("ground") }.keys)
        // 3. The rooms on their floors.
        let floors = rows.filter { $0.count == 3 && $0[1].hasPrefix("`Sources/") }
        let portable = Set(["Language", "Wire", "Device"].map { "Sources/\($0)/" })
        let cellar = floors.first.map { House.code($0[2]) } ?? []
        rooms = floors.enumerated().flatMap { number, row -> [Room] in
            guard let folder = House.code(row[1]).first else { return [] }
            let modules = House.code(row[2])
            return modules.map { name in
                let place =
                    modules.count == 1 && folder == "Sources/\(name)/" ? String(folder.dropLast()) : folder + name
                let mayImport = (edges[name] ?? []).union(ground).subtracting([name, "nothing", "everything", "ground"])
                return Room(
                    name: name, folder: place, floor: number, mayImport: number == 0 ? [] : mayImport,
                    isPortable: portable.contains(folder) && mayImport.isDisjoint(with: cellar),
                    isOpen: edges[name]?.contains("everything") ?? false)
            }
        }
    }

    /// The words of a cell, without what is said to people.
    private static func names(_ cell: String) -> [String] {
        let list = cell.prefix { $0 != ":" && $0 != ";" }.replacing(/\([^)]*\)/, with: "")
        return list.matches(of: /[A-Za-z][A-Za-z0-9]*/).map { String($0.output) }
    }

    /// What stands in backticks.
    private static func code(_ cell: String) -> [String] {
        cell.replacing(/\([^)]*\)/, with: "").matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }
}
