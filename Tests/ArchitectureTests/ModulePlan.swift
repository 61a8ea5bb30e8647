import Foundation

/// The plan of the modules: the folder of each module, and the modules that it may import.
///
/// It is read from the two tables of docs/architecture.md. A new edge is a decision, and is made there.
struct ModulePlan {
    struct Module: Equatable {
        let name: String
        /// The folder, from the package's root.
        let folder: String
        /// The layer's number in the table, from the lowest.
        let layer: Int
        let mayImport: Set<String>
        /// Whether the module builds for iOS and macOS and is a product.
        var isPortable = false
        /// Whether it may import everything.
        var isOpen = false
    }

    let modules: [Module]

    var names: Set<String> { Set(modules.map(\.name)) }

    func module(_ name: String) -> Module? { modules.first { $0.name == name } }

    /// The modules as docs/architecture.md plans it.
    static let planned = ModulePlan(
        plan: (try? String(
            contentsOf: PackageFolder.ours.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)) ?? "")

    /// - Parameter plan: Markdown with a table of layers (layer, folder, modules in backticks) and one of edges (modules,
    ///   what they may import). Text in parentheses and after a colon or semicolon is for readers.
    init(plan: String) {
        let rows = plan.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: true).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        // 1. The imports of each module.
        var edges: [String: Set<String>] = [:]
        for row in rows where row.count == 2 {
            for name in ModulePlan.names(row[0]) { edges[name] = Set(ModulePlan.names(row[1])) }
        }
        // 2. The imports of all modules.
        let base = Set(edges.filter { $0.value.contains("base") }.keys)
        // 3. The modules of their layers.
        let layers = rows.filter { $0.count == 3 && $0[1].hasPrefix("`Sources/") }
        let portable = Set(["Language", "Wire", "Device", "Apple", "Documents"].map { "Sources/\($0)/" })
        let system = layers.first.map { ModulePlan.code($0[2]) } ?? []
        modules = layers.enumerated().flatMap { number, row -> [Module] in
            guard let folder = ModulePlan.code(row[1]).first else { return [] }
            let names = ModulePlan.code(row[2])
            return names.map { name in
                let path =
                    names.count == 1 && folder == "Sources/\(name)/" ? String(folder.dropLast()) : folder + name
                let mayImport = (edges[name] ?? []).union(base).subtracting([name, "nothing", "everything", "base"])
                return Module(
                    name: name, folder: path, layer: number, mayImport: number == 0 ? [] : mayImport,
                    isPortable: portable.contains(folder) && mayImport.isDisjoint(with: system),
                    isOpen: edges[name]?.contains("everything") ?? false)
            }
        }
    }

    /// The words of a cell, without what is said to people.
    private static func names(_ cell: String) -> [String] {
        let list = cell.prefix { $0 != ":" && $0 != ";" }.replacing(/\([^)]*\)/, with: "")
        return list.matches(of: /[A-Za-z][A-Za-z0-9]*/).map { String($0.output) }
    }

    /// Returns the texts in backticks.
    private static func code(_ cell: String) -> [String] {
        cell.replacing(/\([^)]*\)/, with: "").matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }
}
