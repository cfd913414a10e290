print("gate")
