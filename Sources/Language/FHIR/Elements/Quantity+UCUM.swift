extension Quantity {
    /// Creates a quantity in a UCUM unit.
    public init(value: JSONNumber, unit: String?, ucum code: String?) {
        self.init()
        self.value = value
        self.unit = unit
        if let code {
            system = "http://unitsofmeasure.org"
            self.code = code
        }
    }
}
