"""x"""
class PtFormat: 
    pass
