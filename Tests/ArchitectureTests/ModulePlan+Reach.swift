extension ModulePlan {
    /// Returns the shortest chain of planned imports from one module to another, both included; nil if there is none.
    func importChain(from name: String, to other: String) -> [String]? {
        var chains = [[name]]
        var known: Set<String> = [name]
        while !chains.isEmpty {
            if let chain = chains.first(where: { $0.last == other }) { return chain }
            chains = chains.flatMap { chain -> [[String]] in
                let imports = chain.last.flatMap(module)?.mayImport ?? []
                return imports.sorted().filter { known.insert($0).inserted }.map { chain + [$0] }
            }
        }
        return nil
    }
}
