extension Identifier {
    /// Creates an identifier in a system.
    public init(system: String?, value: String) {
        self.init()
        self.system = system
        self.value = value
    }
}
