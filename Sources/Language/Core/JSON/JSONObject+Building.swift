extension JSONObject {
    /// Creates an object from many members in time linear in their number. (Setting them one by one looks up each name
    /// among the members set before.)
    ///
    /// - Parameter members: the members in their order. Of several with the same name, the first is used.
    public init(keepingFirst members: [Member]) {
        var seen = Set<ExactName>(minimumCapacity: members.count)
        self.init(unique: members.filter { seen.insert(ExactName(text: $0.key)).inserted })
    }

    /// Creates an object from many members. Of several with the same name, the last value is used, at the index of the
    /// first.
    package init(keepingLast members: [Member]) {
        var indices = [ExactName: Int](minimumCapacity: members.count)
        var kept: [Member] = []
        kept.reserveCapacity(members.count)
        for member in members {
            let name = ExactName(text: member.key)
            if let index = indices[name] {
                kept[index].value = member.value
            } else {
                indices[name] = kept.count
                kept.append(member)
            }
        }
        self.init(unique: kept)
    }
}

extension JSON {
    /// Creates an object from members in their order. Of several with the same name, the first is used.
    public init(_ members: [JSONObject.Member]) { self = .object(JSONObject(keepingFirst: members)) }
}
