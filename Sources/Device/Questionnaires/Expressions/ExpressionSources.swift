/// Finds the items that expressions read.
struct ExpressionSources {
    struct Found {
        /// Items with the number of common ancestors.
        var items: [(source: Int, sharedDepth: Int, isShallow: Bool)] = []
        var isWhole = false
    }

    let items: [FormItem]
    let program: FormProgram

    /// - Parameters:
    ///   - item: the item that uses the expression; nil for the form.
    ///   - isDirect: whether the items that it reads through variables are left out.
    func sources(of expression: Int, at item: FormItem?, isDirect: Bool = false) -> Found {
        var found = Found()
        for index in isDirect ? [expression] : program.reached(from: expression) {
            let owner = program.entries[index].owner.map { items[$0] }
            // A variable is evaluated in one instance of its group, an expression for the item as a whole.
            let ownDepth = owner.map { index == expression ? $0.depth : $0.depth + 1 } ?? 0
            for part in program.entries[index].parts {
                if part.inputs.readsWholeResponse { found.isWhole = true }
                if part.inputs.readsContext { add(owner, depth: ownDepth, isShallow: false, at: item, to: &found) }
                for (lookup, read) in zip(part.lookups, part.inputs.lookups) {
                    guard let target = lookup.item else { continue }
                    let depth = lookup.isInContext ? ownDepth : 0
                    add(target, depth: depth, isShallow: read.readsOnlyAnswers, at: item, to: &found)
                }
            }
        }
        return found
    }

    private func add(_ source: FormItem?, depth: Int, isShallow: Bool, at item: FormItem?, to found: inout Found) {
        // The items inside the source include the item itself: its own answer is read with others.
        guard let source, source === item || !(item?.ancestors.contains(source.index) ?? false) else {
            found.isWhole = true
            return
        }
        found.items.append((source.index, min(depth, source.depth, item?.depth ?? depth), isShallow))
    }
}
