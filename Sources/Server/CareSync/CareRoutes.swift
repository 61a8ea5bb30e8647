import CarePlans
